// weft_worker_remove: a worker is told to end where its unit switches next, and the caller waits
// until its OS thread is gone. What the worker does meanwhile is in workers.cpp.
#pragma once

#include "base/status.hpp"

namespace weft::sched {

struct runtime;
struct worker;

// Ends one and waits for that. May switch.
status remove_worker(unsigned index);
// By the worker that was removed, as the last it does.
void wake_remover(worker* w);
// WEFT_DROP, once runtime::drops is set: ends the calls of those that wait for a worker whose
// thread is in a region, which may wait for what is dropped, and of threads that may never run
// again. A worker that is left ends with the runtime, and its remover is told not_initialized.
void give_up_removals(runtime* rt);

}  // namespace weft::sched
