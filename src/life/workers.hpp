// Starting and ending workers.
#pragma once

#include "base/status.hpp"

namespace weft::sched {

struct runtime;

// All that the settings ask for, worker 0 being the adopted caller or an OS thread of its own;
// publishes the runtime. On failure nothing is left.
status start_workers(runtime* rt);
// WEFT_DROP: each worker but the adopted caller's ends where its unit switches next, and what is
// ready stays where it is. Waits for that; the OS threads stay until stop_workers.
void end_workers_where_they_switch(runtime* rt);
// Ends them all, worker 0 included. Called by the OS thread that called start_workers. Their
// records stay: a report may look at them.
void stop_workers(runtime* rt);
// By the one that ends the runtime, while it polls for what other workers do.
void let_others_go_on(runtime* rt);
// Once the runtime is not published any more, and no OS thread holds it.
void free_workers(runtime* rt);

// Starts a worker in a free slot.
status add_worker(runtime* rt, unsigned* index);
// Ends one and waits for that. May switch.
status remove_worker(runtime* rt, unsigned index);

}  // namespace weft::sched
