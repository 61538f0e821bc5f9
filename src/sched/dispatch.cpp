#include "sched/dispatch.hpp"

#include <cstring>

#include "base/assert.hpp"
#include "os/clock.hpp"
#include "sched/idle.hpp"
#include "sched/key.hpp"
#include "sched/local.hpp"
#include "sched/pool.hpp"
#include "sched/ready.hpp"
#include "sched/runtime.hpp"
#include "sched/source.hpp"
#include "sched/thread.hpp"
#include "sched/waiter.hpp"
#include "sched/watermark.hpp"

namespace weft::sched {

namespace {

constexpr std::uint32_t look_around_every = 64;

// Not "every 64th turn": some paths make two choices between two of these questions.
bool is_time_to_look(const worker* w) { return static_cast<std::int32_t>(w->turn - w->look_at) >= 0; }

fiber::sanitizer::side side_of(worker* w, const unit* one) {
  return one->stack != nullptr ? fiber::sanitizer::of(one->stack) : w->rt->main_side;
}

// Whether the running unit has something in the carried words. They are zero most of the time; a unit that leaves them otherwise takes
// them along and zeroes them, so that whoever comes next finds zero.
[[gnu::noinline]] bool carries_something(const worker* w) {
  const auto* words = static_cast<const std::uint64_t*>(w->carried);
  std::uint64_t any = 0;
  for (std::size_t index = 0; index < w->rt->carried_bytes / sizeof *words; ++index) any |= words[index];
  return any != 0;
}
bool carries(const worker* w) { return w->carried != nullptr && carries_something(w); }

// What belongs to the running unit but lives in the OS thread: kept in the frame of the unit that is left.
class luggage {
 public:
  luggage(const worker* w, const unit* self) : carries_(carries(w)) {
    if (carries_) {
      std::memcpy(bytes_, w->carried, w->rt->carried_bytes);
      std::memset(w->carried, 0, w->rt->carried_bytes);
    }
    if (self->has(keeps_fp)) fp_ = arch::save_fp_control();
  }
  void unpack(const worker* w, const unit* self) const {
    if (carries_) std::memcpy(w->carried, bytes_, w->rt->carried_bytes);
    if (self->has(keeps_fp)) arch::load_fp_control(fp_);
  }

 private:
  bool carries_;
  alignas(16) unsigned char bytes_[most_carried_bytes];
  arch::fp_control fp_;
};

void become(worker* w, unit* next) {
  note(w->rt, WEFT_ON_RUN, next);
  w->current = next;
  next->state.store(unit_state::running, base::relaxed);
}

// As become, for a unit that stands on a stack of its own.
void step_over(worker* w, unit* next) {
  become(w, next);
  w->standing = next->stack;
}

// Notes in a unit that is left for the first time what reports and its return need: it stays on this stack.
[[gnu::always_inline]] inline void leave_mark(const worker* w, unit* self) {
  if (self->has_parked()) [[likely]]
    return;
  self->made_at = self->context.maker();
  self->stack = w->standing;
}

// A unit that stands on a stack of its own, at its start.
void own_stack_entry(void* transfer, void* argument) {
  auto* w = static_cast<worker*>(transfer);
  auto* self = static_cast<unit*>(argument);
  fiber::started();
  arrive(w);
  if (w->rt->inspects_stacks) [[unlikely]]
    prepare_stack(w, w->standing);
  self->function(self->argument);
  leave_for_good(self);
}

// The context at which a unit goes on, or starts if it has a stack of its own.
fiber::context context_of(unit* one) {
  if (one->has_parked()) return one->context.context();
  return fiber::make(one->stack, own_stack_entry, one);
}

// Whether it stands, or will stand, on a stack that is its own. One that should start elsewhere is left to the carrier.
bool can_be_entered(const unit* one) {
  return one->has_parked() || (one->has_any(has_own_stack | is_dispatched) && !one->has(wants_to_move));
}

// A carrier that `first` (null: nobody yet) will be run by.
fiber::context fresh_carrier(worker* w, unit* first, fiber::sanitizer::side* side) {
  mem::stack* stack = w->stacks.take();
  const fiber::context made = fiber::make(stack, carrier_entry, stack);
  *side = fiber::sanitizer::of(stack);
  w->first = first;
  w->current = nullptr;
  w->standing = stack;
  return made;
}

// Where the worker goes when it leaves a unit for `next`.
[[gnu::always_inline]] inline fiber::context way_to(worker* w, unit* next, fiber::sanitizer::side* side) {
  if (next == nullptr || !can_be_entered(next)) return fresh_carrier(w, next, side);
  step_over(w, next);
  const fiber::context context = context_of(next);
  *side = side_of(w, next);
  return context;
}

// Inside the lock: the next unit, or null when a carrier must look further: into pools, or now and then at timers, sources and mail,
// which units that wake each other for ever would keep from everybody.
unit* choose_directly(worker* w) {
  if (w->detours.load(base::relaxed) != 0 || is_time_to_look(w)) [[unlikely]]
    return nullptr;
  return choose(w);
}

// Inside the lock: who runs after `self`.
unit* successor(worker* w, unit* self) {
  if (self->has(is_dispatched)) [[unlikely]] {
    self->clear(is_dispatched);
    return self->parent;
  }
  return choose_directly(w);
}

}  // namespace

// Leaves the running unit, which has no luggage.
[[gnu::always_inline]] inline static worker* leave_lightly(worker* w, unit* self, unit* next) {
  fiber::sanitizer::side side;
  leave_mark(w, self);
  const fiber::context target = way_to(w, next, &side);
  w = static_cast<worker*>(fiber::switch_to(self->context.slot(), target, side, w));
  arrive(w);
  return w;
}

[[gnu::noinline]] static worker* leave_with_luggage(worker* w, unit* self, unit* next) {
  const luggage kept(w, self);
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

worker* park(worker* w, unit* self, void (*after)(worker* w, void* argument), void* argument) {
  note(w->rt, WEFT_ON_PARK, self);
  self->state.store(unit_state::blocked, base::relaxed);
  if (self->home != nullptr) [[unlikely]]
    self->home->note_blocked();
  w->after = {after, argument};
  enter(w);
  return leave_inline(w, self, successor(w, self));
}

namespace {

void become_ready_again(worker* w, void* one) { make_ready(w, static_cast<unit*>(one), push_reason::yielded); }

bool yields_elsewhere(const worker* w, const unit* self) {
  return self->home != nullptr || self->has_any(is_dispatched | wants_to_move) || w->detours.load(base::relaxed) != 0;
}

}  // namespace

worker* yield_away(worker* w, unit* self) {
  w->after = {become_ready_again, self};
  enter(w);
  return leave_inline(w, self, successor(w, self));
}

worker* yield(worker* w, unit* self) {
  if (yields_elsewhere(w, self)) [[unlikely]]
    return yield_away(w, self);
  if (is_time_to_look(w)) [[unlikely]]
    look_around(w);
  enter(w);
  unit* next = choose(w);
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

namespace {

// Inside the lock: the next unit, if it and self are units that only need to change places.
unit* partner_of(const worker* w, const unit* self) {
  constexpr unsigned special = is_tasklet | is_dispatched | wants_to_move | keeps_fp | stays_put;
  unit* next = w->ready.next_yielded();
  if (next == nullptr || !next->has_parked()) return nullptr;
  return ((self->flags.load(base::relaxed) | next->flags.load(base::relaxed)) & special) == 0 ? next : nullptr;
}

}  // namespace

bool yield_plainly(worker* w, unit* self) {
  if (self->home != nullptr || w->detours.load(base::relaxed) != 0 || carries(w)) return false;
  if ((w->turn + 1) % look_around_every <= 1) return false;  // the next turn is for those who wait longest, or for a look around
  if (!w->lock.try_enter()) return false;
  unit* next = partner_of(w, self);
  if (next == nullptr) {
    w->lock.leave();
    return false;
  }
  w->ready.exchange_yielded(next, self);
  ++w->turn;
  self->state.store(unit_state::ready, base::relaxed);
  leave_mark(w, self);
  w->current = next;
  w->standing = next->stack;
  next->state.store(unit_state::running, base::relaxed);
  const fiber::sanitizer::side side = side_of(w, next);
  arrive(static_cast<worker*>(fiber::switch_to(self->context.slot(), next->context.context(), side, w)));
  return true;
}

void run_here(worker* w, unit* one) {
  become(w, one);
  one->function(one->argument);
}

namespace {

// Carrier: goes to a unit that has a context or a stack of its own; the carrier's stack is free.
[[noreturn]] void leave_carrier(worker* w, unit* next, mem::stack* here) {
  enter(w);
  step_over(w, next);
  const fiber::context target = context_of(next);
  const fiber::sanitizer::side side = side_of(w, next);
  w->stacks.give(here);
  fiber::jump_to(target, side, w);
}

[[noreturn]] void end_carrier(worker* w, mem::stack* here) {
  enter(w);
  w->current = nullptr;
  w->stacks.give(here);
  fiber::jump_to(w->origin, w->origin_side, w);
}

// Without a spare stack a unit that parks would leave its worker nowhere to stand, so none is started: it waits in the queue until
// some stack comes back.
void wait_for_stack(worker* w, unit* one) {
  constexpr std::uint64_t pause_ns = 1'000'000;
  constexpr std::uint32_t patience = 5000;
  enter(w);
  w->ready.push_yielded(one);
  w->lock.leave();
  if (++w->rounds_without_stack > patience) {
    base::panic(
        "out of memory for stacks: worker %u has ready threads, %llu threads live, and no stack came back for 5 s; lower "
        "WEFT_STACK_SIZE, raise the memory limit, or create fewer threads at a time",
        w->index, static_cast<unsigned long long>(live_units(w->rt)));
  }
  os::sleep_until(os::now_ns() + pause_ns);
}

// The unit's own last acts, which may switch.
void run_destructors(unit* one) {
  if (one->has(is_known)) [[unlikely]]
    run_key_destructors(one);
}

// Ends a unit that returned to its carrier, and chooses the next one inside the same lock. Null: look further.
unit* end_and_choose(worker* w, unit* one) {
  w->current = nullptr;
  w->rounds_without_stack = 0;
  if (one->has_any(stays_put | is_dispatched) || w->rt->sink != nullptr) [[unlikely]] {
    end(w, one);
    return nullptr;
  }
  one->state.store(unit_state::ended, base::relaxed);
  const bool is_plain = w->detours.load(base::relaxed) == 0 && !is_time_to_look(w);
  enter(w);
  const std::uintptr_t found = one->has_parked() ? join_word::end(one) : join_word::end_inside(one);
  unit* next = is_plain ? choose(w) : nullptr;
  w->lock.leave();
  if (found == join_word::open) [[likely]] {
    count_finished(w);
  } else {
    settle_end(w, one, found);
  }
  return next;
}

unit* next_unit(worker* w) {
  unit* next = w->first;
  if (next != nullptr) {
    w->first = nullptr;
    return next;
  }
  if (is_time_to_look(w)) [[unlikely]]
    look_around(w);
  if (w->detours.load(base::relaxed) == 0) [[likely]] {
    enter(w);
    next = choose(w);
    w->lock.leave();
    if (next != nullptr) [[likely]]
      return next;
  }
  next = find_own(w);
  return next != nullptr ? next : idle(w);
}

// Two loops, chosen where a carrier starts: so that looking at stacks after each unit, which few programs ask for, costs the others no
// test.
// NOLINTNEXTLINE(readability-identifier-naming): a value
template <bool inspects>
[[noreturn]] void run_carrier(worker* w, mem::stack* here) {
  for (;;) {
    unit* next = next_unit(w);
    if (next == nullptr) end_carrier(w, here);
    if (next->has(wants_to_move)) [[unlikely]] {
      make_ready(w, next, push_reason::moved);
    } else if (can_be_entered(next)) [[unlikely]] {
      leave_carrier(w, next, here);
    } else if (!w->stacks.ensure_one()) [[unlikely]] {
      wait_for_stack(w, next);
    } else {
      if constexpr (inspects) prepare_stack(w, here);
      run_here(w, next);
      run_destructors(next);
      w = local::current_worker();
      if constexpr (inspects) inspect_stack(w, next, here);
      w->first = end_and_choose(w, next);
    }
  }
}

void give_back_stack(worker* w, void* stack) {
  auto* one = static_cast<mem::stack*>(stack);
  if (one->origin == mem::stack_origin::slot) {
    w->stacks.give(one);
  } else {
    fiber::sanitizer::forget(one);
    w->rt->stack_depot.destroy(one);
  }
}

// The memory beneath a user's stack is the user's again once the thread was joined: it ends when nobody stands there any more.
void end_on_users_stack(worker* w, void* unit_that_left) {
  auto* ended = static_cast<unit*>(unit_that_left);
  fiber::sanitizer::forget(ended->stack);
  end(w, ended);
}

void end_on_own_stack(worker* w, unit* ended) {
  if (w->standing->origin == mem::stack_origin::user) {
    w->after = {end_on_users_stack, ended};
  } else {
    w->after = {give_back_stack, w->standing};
    end(w, ended);
  }
}

}  // namespace

void carrier_entry(void* transfer, void* stack) {
  auto* w = static_cast<worker*>(transfer);
  fiber::started();
  arrive(w);
  if (w->rt->inspects_stacks) [[unlikely]]
    run_carrier<true>(w, static_cast<mem::stack*>(stack));
  run_carrier<false>(w, static_cast<mem::stack*>(stack));
}

void leave_for_good(unit* ended) {
  run_destructors(ended);
  worker* w = local::current_worker();
  if (w->rt->inspects_stacks) [[unlikely]]
    inspect_stack(w, ended, w->standing);
  w->current = nullptr;
  unit* const parent = ended->has(is_dispatched) ? ended->parent : nullptr;
  end_on_own_stack(w, ended);
  enter(w);
  unit* next = parent;
  if (next == nullptr) next = choose_directly(w);
  fiber::sanitizer::side side;
  const fiber::context target = way_to(w, next, &side);
  fiber::jump_to(target, side, w);
}

void take_in(worker* w, unit* chain) {
  enter(w);
  while (chain != nullptr) {
    unit* one = chain;
    chain = static_cast<unit*>(one->next);
    w->ready.push_recent(one);
  }
  w->lock.leave();
}

unit* find_own(worker* w) {
  if (!w->pinned_mail.is_empty()) [[unlikely]]
    take_in(w, w->pinned_mail.take_all());
  if (!w->mail.is_empty()) [[unlikely]]
    take_in(w, w->mail.take_all());
  // [A31] acquire: sees the scheduler; pairs with [A30]
  if (const scheduler* custom = w->custom.load(base::acquire); custom != nullptr) [[unlikely]] {
    if (unit* chosen = custom->next(w); chosen != nullptr) {
      ++w->turn;
      return chosen;
    }
  }
  const bool pools_first = w->pool_count.load(base::relaxed) != 0 && w->turn % 2 == 0;
  if (pools_first) {
    if (unit* one = pop_from_pools(w); one != nullptr) {
      ++w->turn;
      return one;
    }
  }
  enter(w);
  unit* one = choose(w);
  w->lock.leave();
  if (one != nullptr) return one;
  return pop_from_pools(w);
}

void look_around(worker* w) {
  w->look_at = w->turn + look_around_every;
  w->turns_seen.store(w->turn, base::relaxed);
  w->coarse_ns = os::coarse_ns();
  expire_timers(w);
  poll_sources(w);
  if (!w->mail.is_empty()) take_in(w, w->mail.take_all());
  if (!w->pinned_mail.is_empty()) take_in(w, w->pinned_mail.take_all());
}

}  // namespace weft::sched
