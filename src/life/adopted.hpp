// OS threads that become workers: weft_worker_adopt and weft_worker_leave. Protocol A,
// docs/protocols/A.md.
//
// The caller goes on as a unit on its OS thread's own stack, pinned to the new worker, as the
// caller of weft_init does on worker 0. Unlike that one it is a unit of the slab: it counts among
// those that live, so weft_finalize waits for its end, and reports find it without more ado. Its
// stack has a header in the record below, so that a worker which stands on it, be it another one,
// knows where it is.
//
// The unit ends when it leaves, on its own worker, whose slot is then free: what the worker still
// holds is handed over by the very OS thread that was the worker, which is an OS thread outside
// again before anything can run there.
#pragma once

#include <cstddef>
#include <cstdint>

#include <weft/weft.h>

#include "base/status.hpp"
#include "worker/adoption.hpp"

namespace weft::sched {

struct runtime;
struct worker;

struct adoption_settings {
  const char* name;  // of the unit; null: none
  bool binds;        // although other workers are not bound
  const void* made_at;
};

// Errors: busy (it is a worker, or in a blocking region), cannot_block (inside the ready of an
// awaiter), not_initialized, unsupported, nomem, again.
status adopt(const adoption_settings& how);
// May switch. Errors: not_owner (the caller was not adopted), busy (forks that were not joined,
// units that are pinned, pools).
status leave_adoption();
// By an adopted OS thread that ends: it leaves, or the program ends with a line that says why it
// cannot.
void end_adopted(worker* w);

// By weft_finalize: no OS thread is adopted from now on. Waits until no unit lives and no OS thread
// is adopted.
void drain_with_adopted(runtime* rt);
// Its first step: waits about a second for OS threads that are adopted, and writes a line if some
// are left, as the program may have forgotten them.
void tell_of_those_left(runtime* rt);

}  // namespace weft::sched
