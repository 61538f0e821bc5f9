// The OS threads that run workers, and those that could: protocol O, docs/protocols/O.md.
//
// A worker is run by one OS thread at a time, its host. While a host is in a blocking region
// (life/blocking.hpp), another OS thread may become the host: a spare one. It runs the worker's
// units until the worker is claimed back, which happens between two units, and is spare again.
//
//      host X                           region guard              spare Y
//      begin: lends its worker
//      in the kernel ...                takes the worker for Y
//                                                                 leaves X's unit in place, runs the worker
//      end: the worker is taken
//        the unit may go on elsewhere:  X leaves the unit's stack, makes the unit ready, and is spare
//        the unit is pinned, or X is the program's own:
//             claims the worker                                   between two units: grants it, is spare
//             goes on in place
//
// If Y is in a region by then that lasts, the guard gives the worker to X instead, which leaves Y's
// unit in place.
//
// Spare OS threads are made on demand by the region guard, an OS thread that runs only while
// regions are open, and end after a second without a worker.
#pragma once

#include <cstdint>

#include "base/status.hpp"
#include "worker/host.hpp"

namespace weft::sched {

struct blocking_call;
struct hosts;
struct runtime;

// Made by the first region. Null: no memory, or no OS thread, and regions keep their workers.
hosts* hosts_of(runtime* rt);
hosts* hosts_if_made(const runtime* rt);  // null: no region has begun yet
// By the caller of weft_finalize: no region is open any more; and, once all workers have ended, the
// end of all spare OS threads.
void stop_region_guard(runtime* rt);
void stop_spares(runtime* rt);
// WEFT_DROP. Whether callers that claimed a worker before runtime::drops was set still wait for it.
bool are_workers_claimed(runtime* rt);
// Ends the claims of workers whose threads are in regions, which may wait for what is dropped, but
// for those that insist. Pre: runtime::drops is set.
void refuse_claims(runtime* rt);
// Whether OS threads of the library's are in regions whose workers others run.
bool are_spares_in_regions(runtime* rt);

// ---- the caller of a region ----

// Whether calls from there have lasted long before.
bool is_known_to_block(const hosts* all, const void* place);
void note_length(hosts* all, const void* place, bool is_long);
// w, which the caller runs no more, goes to an OS thread that has claimed it, or to a spare one.
// False: there is none.
bool give_away(hosts* all, worker* w, blocking_call* call);
// After lent_word::lend.
void wake_region_guard(hosts* all);
// Waits until another OS thread has taken the caller's worker, which the caller could not take
// back. False: it was only held (refuse_claims), and the caller has it back.
bool await_taken(blocking_call* call);
// Waits until the caller may run w again, which goes to the callers in turn. False: its unit is
// about to be dropped. insists: it has nowhere else to go.
bool claim(hosts* all, worker* w, blocking_call* call, bool insists);
// The same for one that runs w, and gives it to the OS thread that has claimed it first.
void stand_by(hosts* all, worker* w, blocking_call* call);

// ---- spare OS threads ----

struct assignment {
  worker* w;            // null: it is over
  blocking_call* call;  // whose unit is to be left in place
};
// is_new: first thing on one that was made for that.
assignment wait_as_spare(hosts* all, os::os_thread self, bool is_new);
// w, which no OS thread runs, goes to the OS thread that has claimed it first, which leaves the
// call's unit in place. False: none has claimed it.
bool give_to_claimer(hosts* all, worker* w, blocking_call* call);
// Gives w, which is claimed, to the OS thread that has waited longest.
void grant_next(hosts* all, worker* w);

}  // namespace weft::sched
