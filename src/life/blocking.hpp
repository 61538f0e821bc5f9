// Blocking regions: what a ULT does to call what blocks in the kernel without keeping its worker.
// hosts.hpp says how another OS thread comes to run the worker.
#pragma once

#include "base/status.hpp"
#include "worker/blocking_call.hpp"

namespace weft::sched {

// Called by a ULT, which from then on until the end is an OS thread outside; nested calls count. On
// OS threads outside nothing happens. Under a schedule the caller stays a ULT, and either end of a
// region is a choice of the schedule. place: the caller. Errors: cannot_block (a tasklet, a
// callback).
status begin_blocking(const void* place);

// Called on the same OS thread. May switch. Keeps errno. Errors: not_owner (no region is open).
status end_blocking();

// On the OS thread that takes w over, before it runs anything: leaves the call's unit in place. The
// unit that is said to run next, or null.
unit* take_over(worker* w, blocking_call* call);

// At the bottom of an OS thread of the library's, after a unit left it in end_blocking: the unit is
// made ready.
void settle_unit_that_left();

// By an OS thread that ends: ends the program if it is in a region.
void refuse_end_in_region();

// Waits until the caller, a ULT on worker w that is pinned there, runs on the OS thread of this id:
// until the regions of others have given it back.
void await_os_thread(int id);

// By the caller of weft_worker_remove, in a region of that very worker or not: until another OS
// thread runs the worker, whose end the caller may wait for. Errors: busy (none is left for it).
status await_other_host(unsigned index);

}  // namespace weft::sched
