// Starting and ending workers.
#pragma once

#include "base/status.hpp"

namespace weft::sched {

struct runtime;
struct worker;

// All that the settings ask for, worker 0 being the adopted caller or an OS thread of its own;
// publishes the runtime. On failure nothing is left.
status start_workers(runtime* rt);
// It ends where its unit switches next: worker::has_ended says so. If it serves still, what is ready
// there stays where it is.
void tell_to_end(worker* w);
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
// WEFT_DROP, once runtime::drops is set: those that wait for a worker whose thread is in a region,
// which may wait for what is dropped. The worker ends with the runtime, and its remover is told
// not_initialized.
void give_up_removals(runtime* rt);

}  // namespace weft::sched
