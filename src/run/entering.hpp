// How a worker goes from one unit to another: what park.cpp, yield.cpp and dispatch.cpp, which
// leave units, and carrier.cpp, which runs them, share.
#pragma once

#include "base/config.hpp"
#include "fiber/fiber.hpp"
#include "run/enter.hpp"
#include "run/fork.hpp"
#include "unit/unit.hpp"
#include "worker/hooks.hpp"
#include "worker/runtime.hpp"
#include "worker/worker.hpp"

namespace weft::sched {

// ---- carrier.cpp ----

// A carrier that `first` (null: none yet) will be run by.
fiber::context fresh_carrier(worker* w, unit* first);

// The bottom of a unit that starts on a stack of its own; the plain one for those that no other
// watches, and that do not keep their FP control.
void own_stack_entry(void* transfer, void* argument);
void plain_stack_entry(void* transfer, void* argument);

// ---- from one unit to the next ----

inline bool is_time_to_look(const worker* w) { return w->turns_left <= 0; }

// A look is due, and the unit that had waited longest at the look before has not run: since then no
// unit was chosen, all were named. So a unit that is named now and then runs at once.
inline bool is_turn_overdue(const worker* w) { return is_time_to_look(w) && w->owes_oldest; }

// Of the stack on which w stands, or is about to.
inline fiber::sanitizer::side side_of(const worker* w) {
  if constexpr (!fiber::sanitizer::is_there) return {};
  return w->standing != nullptr ? fiber::sanitizer::of(w->standing) : w->rt->main_side;
}

inline void become(worker* w, unit* next) {
  w->current = next;
  next->state.store(unit_state::running, base::relaxed);
}

// The whole of the running unit.
inline void run_function(const worker* w, const unit* one) {
  if constexpr (fiber::sanitizer::is_there) the_hooks.name_in_race_reports(w, one);
  one->function(one->argument);
  note_return();
}

// As become, for a unit that stands on a stack of its own.
inline void step_over(worker* w, unit* next) {
  become(w, next);
  w->standing = next->stack;
}

// The context at which a unit goes on, or starts if it has a stack of its own.
inline fiber::context context_of(unit* one) {
  if (one->has_parked()) return one->context.context();
  return fiber::make(one->stack, own_stack_entry, one);
}

// Whether it stands, or will stand, on a stack that is its own. One that should start elsewhere is
// left to the carrier.
inline bool can_be_entered(const unit* one) {
  if (one->has_parked()) return true;
  if (!one->has_any(has_own_stack | may_be_dispatched)) return false;
  if (one->is_dispatched()) return true;  // it goes elsewhere at its next leave, and its scheduler stays
  return one->has(has_own_stack) && !one->has(wants_to_move);
}

inline bool is_pinned_elsewhere(const worker* w, const unit* one) {
  return one->has(stays_put) && base::load_relaxed(one->home_worker) != w->index;
}

// Whether a ready unit that w owns may go on there: no request wants it elsewhere, and it is
// nothing of `obstacles`.
[[gnu::always_inline]] inline bool may_run_here(const worker* w, const unit* one, unsigned obstacles = 0) {
  if (!one->has_any(wants_to_move | stays_put | obstacles)) [[likely]]
    return true;
  return !one->has_any(wants_to_move | obstacles) && !is_pinned_elsewhere(w, one);
}

// Where the worker goes when it leaves a unit for `next`.
inline fiber::context way_to(worker* w, unit* next) {
  if (next == nullptr || !can_be_entered(next)) return fresh_carrier(w, next);
  note(w->rt, WEFT_ON_RUN, next);
  step_over(w, next);
  return context_of(next);
}

// As choose, where a schedule may decide.
inline unit* choose_as_scheduled(worker* w) {
  if (w->rt->turns != nullptr) [[unlikely]]
    return the_hooks.choose_unit(w);
  return choose(w);
}

// Inside the lock: the next unit, or null when a carrier must look further: into pools, or now and
// then at timers, sources and mail, which units that wake each other for ever would keep from
// everybody.
inline unit* choose_directly(worker* w) {
  if (w->detours.load(base::relaxed) != 0 || is_time_to_look(w)) [[unlikely]]
    return nullptr;
  return choose(w);
}

// Whether the running unit has something in the carried words. They are zero most of the time; a
// unit that leaves them otherwise takes them along and zeroes them, so that a unit that comes next
// finds zero.
bool carries_something(const worker* w);
inline bool carries(const worker* w) { return w->carried != nullptr && carries_something(w); }
// True also where more than two words are carried.
inline bool may_carry(const worker* w) { return (w->two_carried[0] | w->two_carried[1]) != 0; }

// Whether the running unit, self, can be left without anything but a look into the own queue: no
// luggage, nothing else that w looks after or is due to look after, no other unit to go back to.
template <bool (*Carries)(const worker* w) = carries>
[[gnu::always_inline]] inline bool may_leave_plainly(const worker* w, const unit* self, unsigned obstacles = 0) {
  const unsigned special = is_tasklet | may_be_dispatched | wants_to_move | keeps_fp | obstacles;
  return w->detours.load(base::relaxed) == 0 && !is_time_to_look(w) && !Carries(w) && !has_forks(w) &&
         self->home.load(base::relaxed) == nullptr && !self->has_any(special);
}

// In checked builds, what the running unit must not do when it is left, or runs another one.
[[gnu::always_inline]] inline void check_leaving(worker* w, unit* self) {
  if constexpr (config::checked) {
    if (is_in_pinned_scope(self) || w->os_locks.count != 0) the_hooks.tell_leaving(w, self, false);
  }
}

// The same, and where it was left.
[[gnu::always_inline]] inline void note_leaving(worker* w, unit* self) {
  check_leaving(w, self);
  if constexpr (config::checked) self->left_on = static_cast<std::uint16_t>(w->index + 1);
}

// Notes in a unit that is left for the first time what reports and its return need: it stays on
// this stack.
[[gnu::always_inline]] inline void leave_mark(worker* w, unit* self) {
  note_leaving(w, self);
  if (self->has_parked()) [[likely]]
    return;
  self->made_at = self->context.maker();
  self->stack = w->standing;
}

// Inside the lock, which the switch leaves. Returns the worker on which self is resumed.
[[gnu::always_inline]] inline worker* switch_from(worker* w, unit* self, fiber::context target) {
  w = static_cast<worker*>(fiber::switch_to(self->context.slot(), target, side_of(w), w));
  arrive(w);
  return w;
}

}  // namespace weft::sched
