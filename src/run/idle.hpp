// What a worker does without work: it searches, spins as the policy says, sleeps. Protocol I,
// docs/protocols/I.md.
#pragma once

namespace weft::sched {

struct unit;
struct worker;

// A worker without work: searches, spins as the policy says, sleeps. Null: the worker must end.
unit* idle(worker* w);

}  // namespace weft::sched
