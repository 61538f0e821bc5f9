// Leaving the running unit: park, yield.

#include "run/park.hpp"

#include "run/choose.hpp"
#include "run/dispatch.hpp"
#include "run/enter.hpp"
#include "run/entering.hpp"
#include "run/ready.hpp"
#include "unit/pool_record.hpp"
#include "unit/waiter.hpp"
#include "worker/hooks.hpp"
#include "worker/local.hpp"
#include "worker/runtime.hpp"

#include <cstring>

namespace weft::sched {

namespace {

bool is_not_zero(const void* carried, std::size_t bytes) {
  const auto* words = static_cast<const std::uint64_t*>(carried);
  std::uint64_t any = 0;
  for (std::size_t index = 0; index < bytes / sizeof *words; ++index) any |= words[index];
  return any != 0;
}

}  // namespace

[[gnu::noinline]] bool carries_something(const worker* w) {
  return may_carry(w) && is_not_zero(w->carried, w->rt->carried_bytes);
}

luggage::luggage(const runtime* rt, const unit* self, void* carried, const arch::fp_control& before)
    : carries_(carried != nullptr && is_not_zero(carried, rt->carried_bytes)) {
  if (carries_) {
    std::memcpy(bytes_, carried, rt->carried_bytes);
    std::memset(carried, 0, rt->carried_bytes);
  }
  if (!self->has(keeps_fp)) return;
  fp_ = arch::save_fp_control();
  arch::load_fp_control(before);
}

void luggage::unpack(worker* w, const unit* self) const {
  if (carries_) std::memcpy(w->carried, bytes_, w->rt->carried_bytes);
  if (!self->has(keeps_fp)) return;
  w->fp = arch::save_fp_control();
  arch::load_fp_control(fp_);
}

namespace {

// Outside the lock: the unit that was said to run after `self`; null: the next one in the queue.
unit* named_successor(worker* w, unit* self, bool is_yielding) {
  if (!self->is_dispatched()) return nullptr;
  unit* const scheduler = self->parent;
  self->parent = nullptr;
  return next_in_turn(w, scheduler, is_yielding ? self : nullptr);
}

}  // namespace

// Leaves the running unit, which has no luggage.
[[gnu::noinline]] static worker* leave_lightly(worker* w, unit* self, unit* next) {
  leave_mark(w, self);
  return switch_from(w, self, way_to(w, next));
}

[[gnu::noinline]] static worker* leave_with_luggage(worker* w, unit* self, unit* next) {
  const luggage kept(w->rt, self, w->carried, w->fp);
  w = leave_lightly(w, self, next);
  kept.unpack(w, self);
  return w;
}

[[gnu::always_inline]] inline static worker* leave_inline(worker* w, unit* self, unit* next) {
  if (self->has(keeps_fp) || carries(w)) [[unlikely]]
    return leave_with_luggage(w, self, next);
  return leave_lightly(w, self, next);
}

worker* leave_for(worker* w, unit* self, unit* next) { return leave_inline(w, self, next); }

namespace {

// All that is noted of a unit that parks, while its forks are its own.
void note_park(worker* w, unit* self) {
  if (has_forks(w)) detach_forks(w);
  note(w->rt, WEFT_ON_PARK, self);
  if (w->rt->settings.migrate) note_last_worker(w, self);
  self->state.store(unit_state::blocked, base::relaxed);
  if (pool* home = self->home.load(base::relaxed); home != nullptr) home->note_blocked();
}

[[gnu::noinline]] worker* park_slow(worker* w, unit* self, after_switch after) {
  note_park(w, self);
  unit* const named = named_successor(w, self, false);
  w->after = after;
  enter(w);
  return leave_inline(w, self, named != nullptr ? named : choose_directly(w));
}

}  // namespace

unit* leave_in_place(worker* w, unit* self) {
  note_park(w, self);
  unit* const named = named_successor(w, self, false);
  if constexpr (config::checked) self->left_on = static_cast<std::uint16_t>(w->index + 1);
  if (!self->has_parked()) {
    self->made_at = self->context.maker();
    self->stack = w->standing;
  }
  w->current = nullptr;
  return named;
}

// Inside the lock, which the switch leaves.
[[gnu::always_inline]] inline static worker* leave_parked(worker* w, unit* self) {
  self->state.store(unit_state::blocked, base::relaxed);
  --w->turns_left;
  unit* next = w->ready.pop();
  if (next == nullptr || !next->has_parked()) [[unlikely]]
    return leave_lightly(w, self, next);
  leave_mark(w, self);
  step_over(w, next);
  return switch_from(w, self, next->context.context());
}

worker* park(worker* w, unit* self, after_switch after) {
  if (!may_leave_plainly(w, self) || !w->lock.try_enter()) [[unlikely]]
    return park_slow(w, self, after);
  w->after = after;
  return leave_parked(w, self);
}

namespace {

[[gnu::noinline]] void park_holding_slow(worker* w, unit* self, queue::spinlock* held) {
  park_slow(w, self, {held != nullptr ? let_go_of : nullptr, held});
}

}  // namespace

status park_holding(unit** out, const char* what, queue::spinlock* held) {
  worker* const w = local::current_worker();
  unit* const self = w != nullptr ? w->current : nullptr;
  if (self == nullptr || self->has(is_tasklet)) [[unlikely]]
    return tell(status::cannot_block, parking_holding);
  *out = self;
  waiter me(what, nullptr);
  me.who = self;
  me.since_ns = w->coarse_ns;
  self->waiting = &me;
  if (!may_leave_plainly<may_carry>(w, self) || !w->lock.try_enter()) [[unlikely]] {
    park_holding_slow(w, self, held);
  } else {
    if (held != nullptr) w->after = {let_go_of, held};
    leave_parked(w, self);
  }
  self->waiting = nullptr;
  return status::ok;
}

namespace {

bool yields_elsewhere(const worker* w, const unit* self) {
  return self->home.load(base::relaxed) != nullptr || self->has(wants_to_move) || self->is_dispatched() ||
         w->detours.load(base::relaxed) != 0;
}

}  // namespace

worker* yield_away(worker* w, unit* self, bool as_new) {
  if (has_forks(w)) detach_forks(w);
  unit* const named = named_successor(w, self, true);
  w->after = {as_new ? become_ready_as_new : become_ready_again, self};
  enter(w);
  return leave_inline(w, self, named != nullptr ? named : choose_directly(w));
}

worker* yield(worker* w, unit* self) {
  if (has_forks(w)) detach_forks(w);
  if (yields_elsewhere(w, self)) [[unlikely]]
    return yield_away(w, self);
  if (is_time_to_look(w)) [[unlikely]]
    look_around(w);
  enter(w);
  unit* next = choose_as_scheduled(w);
  if (next == nullptr) {
    w->lock.leave();
    next = find_own(w);
    if (next == nullptr) return w;
    enter(w);
  }
  self->state.store(unit_state::ready, base::relaxed);
  w->ready.push_yielded(self);
  return leave_inline(w, self, next);
}

}  // namespace weft::sched
