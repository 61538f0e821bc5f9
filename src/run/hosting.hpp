// What the run loop asks of life/hosts.cpp, which stands above it: a worker whose OS thread is in a
// blocking region is run by another one, and given back at the next moment between two units.
#pragma once

#include "base/atomic.hpp"
#include "worker/worker.hpp"

namespace weft::sched {

// Whether an OS thread waits for this worker.
inline bool is_claimed(const worker* w) { return w->claims.load(base::relaxed) != 0; }

// On a carrier that stands on `here`: gives the worker to an OS thread that waits for it, and waits
// until it has the worker back. Only of an OS thread that is the program's own.
void step_aside(worker* w, mem::stack* here);

// Whether the OS thread that runs w is the program's own: it has no place to which it could leave
// its worker for good.
inline bool is_programs_own(const worker* w) { return w->origin.sp == nullptr; }

}  // namespace weft::sched
