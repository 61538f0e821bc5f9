// Running units: choosing the next one, starting it, leaving it. Called by workers only, with the worker as a parameter.
//
// A worker always stands on some stack. While it chooses, that is a *carrier*: one of its cached stacks with run_carrier() at its
// bottom. A unit without a stack of its own starts there by a plain call and, if it never parks, ends there: no switch at all. A unit
// that parks takes the carrier's stack with it; the worker goes directly to the next unit that has a context, or starts a fresh carrier.
//
//      carrier --call--> unit A ... ends --return--> carrier
//                        unit A ... parks --switch--> unit B (saved)         A keeps the stack
//                                         --switch--> fresh carrier           when the next one is new, or none is ready
//
// Every switch happens inside the worker's lock and ends in arrive(), which leaves it: a unit may be put into the ready queue before
// its context is saved, because nobody else can take it out until then.
#pragma once

#include "sched/unit.hpp"
#include "sched/worker.hpp"

namespace weft::sched {

// Enters the worker's lock, answering a thief that asked.
void answer(worker* w, worker* thief);
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
}

// Inside the lock: the next unit of the worker's own queue, or null.
inline unit* choose(worker* w) {
  --w->turns_left;
  if (!w->owes_oldest) [[likely]]
    return w->ready.pop();
  w->owes_oldest = false;
  return w->ready.pop_longest_waiting();
}

// Inside the lock: leaves the running unit `self` for `next` (null: for a fresh carrier). Returns, when self is resumed, the worker on
// which that happened.
worker* leave_for(worker* w, unit* self, unit* next);

// Parks the running unit: `after` runs once its context is saved. Returns the worker on which it was resumed.
worker* park(worker* w, unit* self, after_switch after);

// Lets others run; self stays ready. Returns the worker on which it goes on.
worker* yield(worker* w, unit* self);

// As yield, through make_ready: for units that belong elsewhere.
worker* yield_away(worker* w, unit* self, bool as_new = false);

// The bottom of a carrier; runs units until the worker ends.
void carrier_entry(void* transfer, void* stack);

// Timers and sources: done every few choices. Outside the lock.
void look_around(worker* w);

// What w can run without taking it from another worker: its queue, its mail, its pools. Null: nothing. Outside the lock.
unit* find_own(worker* w);

// Puts a chain (by next) of owned units into w's queue, its first one to run last.
void take_in(worker* w, unit* chain);

}  // namespace weft::sched
