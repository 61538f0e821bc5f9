// Waking sleeping workers: protocol I, docs/protocols/I.md.
//
// At most one sleeper is woken for one piece of work that any worker may take, and none while
// another worker searches; a searcher that finds work and was the last one wakes the next. (The
// shape is that of Go's scheduler; see the head of its proc.go.) A sleeper that is woken for work
// of its own is *called*: it does not count as a searcher until it has found nothing there, so it
// wakes no further sleeper.
#pragma once

#include <cstdint>

#include "base/atomic.hpp"
#include "worker/runtime.hpp"
#include "worker/worker.hpp"

namespace weft::sched {

// Values of worker::is_asleep, with 0, awake, and 1, asleep and counted as a sleeper.
inline constexpr std::uint32_t asleep_for_a_pause = 2;   // between questions to others that were not worth it
inline constexpr std::uint32_t awake_and_unwatched = 3;  // its lookout's timer is off until it is given work
inline constexpr std::uint32_t is_called = 4;            // awake, for work of its own; not counted as a searcher

// Whether wake(w) would do something.
inline bool can_be_woken(const worker* w) {
  const std::uint32_t now = w->is_asleep.load(base::relaxed);
  return now != 0 && now != is_called;
}

void wake_any(runtime* rt);

// After work was made available to any worker. Cheap when no worker sleeps.
inline bool somebody_must_wake(const runtime* rt) {
  // [I6] light fence: work before the look for sleepers, and at the workers of a domain; pairs with
  // [A33] [I5] [I13]
  base::light_fence();
  return rt->sleepers.load(base::relaxed) != 0 && rt->searchers.load(base::relaxed) == 0;
}
inline void wake_one(runtime* rt) {
  if (somebody_must_wake(rt)) [[unlikely]]
    wake_any(rt);
}
// After something came up that any worker may look after but that a thief that stands back does not
// look for: a source, a deadline.
void wake_somebody(runtime* rt);
// After work was made available to w alone. True: it slept, and will look at its own work first.
bool wake(worker* w);
void wake_all(runtime* rt);
// The first deadline has become earlier.
void wake_clock_keeper(runtime* rt);

// ---- for the sleeper itself ----

// Of those that sleep, takes w out. False: another worker did.
bool take_out_of_sleep(worker* w);
// A searcher has found something, or gives up.
void stop_searching(runtime* rt);

}  // namespace weft::sched
