// Sleeping and waking: protocol I, docs/protocols/I.md.
//
// At most one sleeper is woken for one piece of work, and none while somebody searches already; a searcher that finds work and was the
// last one wakes the next. (The shape is that of Go's scheduler; see the head of its proc.go.)
#pragma once

#include <cstdint>

namespace weft::sched {

struct runtime;
struct unit;
struct worker;

// After work was made available to any worker. Cheap when nobody sleeps.
void wake_one(runtime* rt);
// After work was made available to w alone.
void wake(worker* w);
void wake_all(runtime* rt);
// The first deadline has become earlier.
void wake_clock_keeper(runtime* rt);

// A worker without work: searches, spins as the policy says, sleeps. Null: the worker must end.
unit* idle(worker* w);

}  // namespace weft::sched
