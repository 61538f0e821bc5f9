// What a worker does without work: it searches, spins as the policy says, sleeps. Protocol I,
// docs/protocols/I.md.
#pragma once

#include <cstdint>

namespace weft::sched {

struct unit;
struct worker;

// A worker without work: searches, spins as the policy says, sleeps. Null: the worker must end.
unit* idle(worker* w);

// A part of the sleep of w, which has announced it: on its futex, or in the source that it keeps,
// whose news take w out of its sleep. False: the time has come.
bool sleep_once(worker* w, std::uint64_t until);

}  // namespace weft::sched
