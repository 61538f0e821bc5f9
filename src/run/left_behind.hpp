// Children of fork(2) that were made while the runtime ran. Such a process has the OS thread that
// forked and a copy of the memory; the other workers, and with them every unit but the forking one,
// are not there, and the locks that they held are held for ever. So no call of Weft goes on in it
// (docs/decisions/0019-fork-of-the-process.md).
//
// What it costs the parent: nothing. `call_limit` sends the child's calls to the place that refuses
// them, by the test for null that they have anyway; what looks for the worker, the hot line or the
// runtime finds none; and the unit that forked becomes one whose end takes the long way, where the
// process ends with a line: its worker is not there to go on with others.
#pragma once

#include <cstdint>

#include "base/atomic.hpp"

namespace weft::sched {

// Calls whose first pointer is not above it are a point, wrong, or left behind: 0 without a
// schedule (turns.hpp) and out of such a child, else all.
[[gnu::visibility("hidden")]] extern constinit base::atomic<std::uintptr_t> call_limit;

// In the child, on its only OS thread. For ever.
void become_left_behind();
bool is_left_behind();

// Says on stderr that `call` cannot be made here, and what can be done about it.
void tell_left_behind(const char* call);
// Where a unit, or the join of a fork, would need its worker. Does nothing elsewhere.
void refuse_if_left_behind(const char* what);

}  // namespace weft::sched
