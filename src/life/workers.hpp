// Starting and ending workers.
#pragma once

#include "base/status.hpp"

namespace weft::sched {

struct runtime;
struct worker;

// All that the settings ask for, worker 0 being the adopted caller or an OS thread of its own;
// publishes the runtime. On failure nothing is left.
status start_workers(runtime* rt);
// Ends them all, worker 0 included. Called by the OS thread that called start_workers. Their
// records stay: a report may look at them.
void stop_workers(runtime* rt);
// By the one that ends the runtime, while it polls for what other workers do.
void let_others_go_on(runtime* rt);
// Once the runtime is not published any more, and no OS thread holds it.
void free_workers(runtime* rt);

// Starts a worker in a free slot.
status add_worker(unsigned* index);

}  // namespace weft::sched
