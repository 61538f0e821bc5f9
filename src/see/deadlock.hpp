// When nothing can ever run again: the report that says which thread waits for what.
//
// No worker looks while anything moves. The last worker that goes to sleep, and every OS thread
// outside that blocks in Weft without a deadline, sleeps in steps (0.2 s, doubling up to half a
// minute) and looks between them. It is a deadlock when
//   - all workers sleep, no deadline is set, no outside source of work is registered, and a thread
//     waits;
//   - every other OS thread of the process is blocked: in one of our waits without a deadline (then
//     it is certain), or in a futex wait without a deadline, a lock or join of OS threads (then it
//     is called possible: the other side of that futex may lie in another process).
// An OS thread that computes, sleeps, or waits for a descriptor could still wake a thread: then
// there is silence, however long.
//
// What is read of many OS threads one after the other is no moment in time. So it is read twice:
// one that is asleep both times with the same number of context switches did not run in between,
// and if that holds for all, then none ran at the moment between the two, no wake-up was on its
// way, and none can come. A worker, or an OS thread in one of our waits, may wake up in between to
// look by itself; for those it counts that their waits go on (is_asleep, is_blocked), and a caller
// that ends such a wait is in the middle of running.
//
// A worker that is held up counts as one that sleeps: its OS thread blocks in one of our waits
// without a deadline, as under weft_ext_call_outside, or waits by attempts. One that waits by
// attempts never sleeps. It looks itself between attempts, and another look counts it only if an
// attempt that began after the first reading has failed before the second one: then what it waits
// for was not there while all others stood still.
//
// In a runtime without a watchdog (one worker) a look also finds circles of units that wait for
// each other (circles.hpp) while other OS threads go on: in steps, four a second, until all units
// were looked at.
//
// Dropped: reporting whatever is still for long as possible. A server that waits for a message
// looks just like that.
#pragma once

#include <cstdint>

#include "base/atomic.hpp"
#include "base/status.hpp"
#include "worker/hooks.hpp"
#include "worker/stillness.hpp"

namespace weft::sched {

struct runtime;
struct worker;

// The last worker is about to sleep until `until`, and no deadline is set: sleeps until then, or
// until it is woken, or is not the last any more; the caller looks at is_asleep again.
void all_workers_idle(worker* w, std::uint64_t until);

// All virtual workers sleep (turns.hpp), no deadline is set and no source is there: looks, now and
// then, whether that is for ever. Where the process has no other OS thread it is, at once. A
// deadlock ends the process with exit_deadlock. Returns early when *bell changes.
void look_at_still_turns(runtime* rt, base::atomic<std::uint32_t>* bell, std::uint32_t rung);

// An OS thread outside: as os::futex_wait, looking now and then.
void sleep_and_look(base::atomic<std::uint32_t>* word, std::uint32_t value);

// An OS thread that waits by attempts looks, if due_ns is not 0.
attempts_look look_between_attempts(std::uint64_t due_ns, bool (*attempt)(void* argument), void* argument);

// Once the runtime is not published any more.
void free_looks(runtime* rt);

// Every live unit with its state, what it waits for, since when, and where it was made. Errors:
// not_initialized, again (not written).
status dump(int fd);

}  // namespace weft::sched
