// Looks at a lone worker. A process of one worker and one OS thread gets no second OS thread
// for that: a timer of the kernel's sends SIGURG to the worker's OS thread, and the signal's
// handler looks whether the worker stands still (standing.hpp).
//
// The timer is on while ready units wait. Work that is made available switches it on, at most once
// a period: a timer that is off counts as a sleeper (is_look_off in runtime::sleepers, and a value
// of worker::is_asleep for pushes to pools), so that the fast ways of making units ready have no
// test of their own. The handler switches it off when it finds that no unit waits.
//
// A handler that interrupts a call of the kernel lets it start again (SA_RESTART), but a few calls
// fail with EINTR all the same: poll, nanosleep. Such a call can only be hit while units wait for
// the worker, or in the period after that. The first time that it happens the timer goes off for
// the rest of the runtime's life.
//
// Nothing looks at a lone worker where SIGURG is the program's, where the kernel refuses the timer,
// or under ThreadSanitizer, which delays signals.
#pragma once

#include "worker/hooks.hpp"
#include "worker/runtime.hpp"

namespace weft::sched {

// On the OS thread of worker 0, the only one. Nothing happens where it cannot be had.
void start_lookout(runtime* rt);
// On the same OS thread; nothing happens when there is none.
void stop_lookout(runtime* rt);
// From any OS thread, where a second one comes that looks, or may run the worker.
void end_lookout(runtime* rt);
// Once the runtime is not published any more.
void free_lookout(runtime* rt);

// After work was made available, if the timer may be off. From any OS thread.
void resume_lookout(runtime* rt);

}  // namespace weft::sched
