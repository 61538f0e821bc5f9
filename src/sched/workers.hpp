// Starting and ending workers.
#pragma once

#include "base/status.hpp"

namespace weft::sched {

struct runtime;

// All that the settings ask for, worker 0 being the adopted caller or an OS thread of its own; publishes the runtime. On failure
// nothing is left.
status start_workers(runtime* rt);
// Ends them all, worker 0 included. Called by the one who called start_workers. Their records stay: a report may look at them.
void stop_workers(runtime* rt);
// Once the runtime is not published any more, and nobody holds it.
void free_workers(runtime* rt);

// Around a call of somebody whom weft_finalize would not wait for otherwise. The end is its last access to the runtime.
void begin_call(runtime* rt);
void end_call(runtime* rt);

// Where worker `index` is placed on the machine; a synthetic machine has CPUs of its own.
unsigned cpu_of(const runtime* rt, unsigned index);

}  // namespace weft::sched
