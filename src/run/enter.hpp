// A worker's lock, and its own queue. Called by workers only, with the worker as a parameter.
//
// Every switch happens inside the lock and ends in arrive(), which leaves it: a unit may be put
// into the ready queue before its context is saved, because no other worker can take it out until
// then.
#pragma once

#include "base/config.hpp"
#include "unit/unit.hpp"
#include "worker/arrivals.hpp"
#include "worker/worker.hpp"

namespace weft::sched {

// Enters the worker's lock, answering a thief that asked.
void answer(worker* w, worker* thief);  // steal.cpp
[[gnu::always_inline]] inline void enter(worker* w) {
  if (worker* thief = w->lock.enter(); thief != nullptr) [[unlikely]]
    answer(w, thief);
}

// First thing after a switch, wherever it ended.
[[gnu::always_inline]] inline void arrive(worker* w) {
  w->lock.leave();
  if (w->after.run != nullptr) [[unlikely]] {
    const after_switch todo = w->after;
    w->after.run = nullptr;
    todo.run(w, todo.argument);
  }
  if constexpr (config::checked) note_arrival(w);
}

// Inside the lock: the next unit of the worker's own queue, or null.
inline unit* choose(worker* w) {
  --w->turns_left;
  if (!w->owes_oldest) [[likely]]
    return w->ready.pop();
  w->owes_oldest = false;
  return w->ready.pop_longest_waiting();
}

}  // namespace weft::sched
