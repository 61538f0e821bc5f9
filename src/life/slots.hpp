// The steps in which a worker comes to a slot of the runtime and goes: what workers.cpp, where the
// library makes the OS threads, and adopted.cpp, where they come by themselves, share. workers.cpp
// has them.
#pragma once

#include "base/status.hpp"

namespace weft::sched {

struct hosts;
struct runtime;
struct worker;

namespace slots {

enum class purpose { own_os_thread, adoption };

// A free slot, which no other caller has seen; counts as a change that is under way (begin_call).
// Errors: not_initialized (also when the end has begun, for this purpose), nomem, again.
status take(runtime* rt, purpose what, worker** out);
// One whose OS thread cannot be had.
void give_back(runtime* rt, worker* w, purpose what);

// On the worker's own OS thread: it is the current worker, and is bound if the settings say so and
// it was not adopted.
void settle(worker* w);
// It is an OS thread outside again.
void unsettle(worker* w);

// Inside workers_lock: the runtime ends, or drops.
bool are_changed_no_more(const runtime* rt);
// Inside workers_lock: from now on it may be chosen.
void serve(runtime* rt, worker* w);
// Inside workers_lock and pools_lock: it gets no more units, pools or schedulers. Counts as a
// change that is under way.
void stop_serving(runtime* rt, worker* w);
// Afterwards: gives what it still holds to others.
void hand_over(worker* w);

// It ends where its unit switches next: worker::has_ended says so. If it serves still, what is
// ready there stays where it is.
void tell_to_end(worker* w);
// Waits until its OS thread has ended.
void join(worker* w);

// The bottom of an OS thread that was made to be spare (hosts.hpp).
void run_as_spare(runtime* rt, hosts* all);

// Of an OS thread whose caller was adopted, and which ends (os::watch_end); given: its worker.
void end_of_caller(void* given);

}  // namespace slots
}  // namespace weft::sched
