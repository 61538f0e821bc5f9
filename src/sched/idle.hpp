// Sleeping and waking: protocol I, docs/protocols/I.md.
//
// At most one sleeper is woken for one piece of work, and none while somebody searches already; a searcher that finds work and was the
// last one wakes the next. (The shape is that of Go's scheduler; see the head of its proc.go.)
#pragma once

#include <cstdint>

#include "base/atomic.hpp"
#include "sched/runtime.hpp"

namespace weft::sched {

struct unit;
struct worker;

// A value of worker::is_asleep: awake, and its lookout's timer is off until it is given work.
inline constexpr std::uint32_t awake_and_unwatched = 3;

void wake_any(runtime* rt);

// After work was made available to any worker. Cheap when nobody sleeps.
inline bool somebody_must_wake(const runtime* rt) {
  // [I6] light fence: work before the look for sleepers, and at who serves a domain; pairs with [A33] [I5] [I13]
  base::light_fence();
  return rt->sleepers.load(base::relaxed) != 0 && rt->searchers.load(base::relaxed) == 0;
}
inline void wake_one(runtime* rt) {
  if (somebody_must_wake(rt)) [[unlikely]]
    wake_any(rt);
}
// After something came up that any worker may look after but that a thief who stands back does not look for: a source, a deadline.
void wake_somebody(runtime* rt);
// After work was made available to w alone.
void wake(worker* w);
void wake_all(runtime* rt);
// The first deadline has become earlier.
void wake_clock_keeper(runtime* rt);

// A worker without work: searches, spins as the policy says, sleeps. Null: the worker must end.
unit* idle(worker* w);

}  // namespace weft::sched
