// Carriers: the bottoms of stacks on which units start, run in one go, and end. park.hpp has the
// picture.

#include "run/carrier.hpp"

#include "base/assert.hpp"
#include "os/clock.hpp"
#include "run/choose.hpp"
#include "run/dispatch.hpp"
#include "run/end.hpp"
#include "run/enter.hpp"
#include "run/entering.hpp"
#include "run/fork.hpp"
#include "run/hosting.hpp"
#include "run/idle.hpp"
#include "run/next.hpp"
#include "run/ready.hpp"
#include "run/stack_class.hpp"
#include "run/steal.hpp"
#include "run/wake.hpp"
#include "unit/pool_record.hpp"
#include "worker/clock.hpp"
#include "worker/hooks.hpp"
#include "worker/local.hpp"
#include "worker/runtime.hpp"

namespace weft::sched {

namespace {

fiber::context make_carrier(worker* w, mem::stack* stack, unit* first) {
  const fiber::context made = fiber::make(stack, carrier_entry, stack);
  w->first = first;
  w->current = nullptr;
  w->standing = stack;
  return made;
}

}  // namespace

fiber::context fresh_carrier(worker* w, unit* first) {
  mem::stack* stack = w->stacks.take();
  return make_carrier(w, stack, first);
}

namespace {

// Carrier: goes to a unit that has a context or a stack of its own; the carrier's stack is free.
[[noreturn]] void leave_carrier(worker* w, unit* next, mem::stack* here) {
  enter(w);
  note(w->rt, WEFT_ON_RUN, next);
  step_over(w, next);
  const fiber::context target = context_of(next);
  give_stack(w, here);
  fiber::jump_to(target, side_of(w), w);
}

[[noreturn]] void end_carrier(worker* w, mem::stack* here) {
  enter(w);
  w->current = nullptr;
  give_stack(w, here);
  fiber::jump_to(w->origin, w->origin_side, w);
}

// Units that finished on any worker: some of them gave a stack back.
std::uint64_t finished_anywhere(const runtime* rt) {
  std::uint64_t sum = 0;
  for (unsigned index = 0; index < rt->worker_slots.load(base::relaxed); ++index) {
    const worker* w = worker_in_slot(rt, index);
    if (w != nullptr) sum += w->finished.load(base::relaxed);
  }
  return sum;
}

// How long it has lasted, this look included; one that was not seen for a second is over.
std::uint64_t last(worker* w, worker::standstill* what) {
  constexpr std::uint64_t gap_ns = 1'000'000'000;
  const std::uint64_t now = os::coarse_ns();
  const std::uint64_t finished = finished_anywhere(w->rt);
  if (what->since_ns == 0 || finished != what->finished || now - what->seen_ns > gap_ns) *what = {now, now, finished};
  what->seen_ns = now;
  return now - what->since_ns;
}

constexpr std::uint64_t patience_ns = 5'000'000'000;

void give_up_without_progress(worker* w) {
  if (last(w, &w->without_any) <= patience_ns) return;
  base::panic(
      "out of memory for stacks (mmap, or the guard's madvise or mprotect, fails): worker %u has ready threads, %llu threads "
      "live, and no stack came back for 5 s; lower WEFT_STACK_SIZE or stack_bytes of weft_thread_attr, raise the memory limit, "
      "or create fewer threads at a time",
      w->index, static_cast<unsigned long long>(live_units(w->rt)));
}

// As long as others go on, or will at a deadline, they may give stacks back, though they may do
// nothing but yield until the one that waits has run: a warning, once.
void warn_without_progress(worker* w) {
  w->without_any.since_ns = 0;
  if (last(w, &w->without_stack) <= patience_ns || w->has_warned_of_stacks) return;
  w->has_warned_of_stacks = true;
  base::report(
      "warning: out of memory for stacks (mmap, or the guard's madvise or mprotect, fails): a thread of worker %u has been "
      "waiting for one for 5 s, while others yield or wait for a deadline",
      w->index);
}

// Behind the others that came from where it did: a worker that may run it there may have a stack,
// and a scheduler that chooses there has it in view.
void put_back(worker* w, unit* one) {
  if (pool* home = one->home.load(base::relaxed); home != nullptr) return push_yielded_to_pool(home, one);
  if (has_domains(w->rt) && !one->has(stays_put)) return push_to_domain(w->rt, w, one, push_reason::yielded);
  enter(w);
  w->ready.push_yielded(one);
  w->lock.leave();
  wake_one(w->rt);
}

// Without a spare stack a unit that parks would leave its worker nowhere to stand, so none is
// started: it waits until some stack comes back. Those that have a stack may go on meanwhile, and
// give theirs back.
void wait_for_stack(worker* w, unit* one) {
  constexpr std::uint64_t pause_ns = 1'000'000;
  put_back(w, one);
  enter(w);
  w->first = w->ready.pop_first(can_be_entered);
  w->lock.leave();
  if (w->first != nullptr) return warn_without_progress(w);
  if (w->rt->alarms.next_ns() != UINT64_MAX) {
    warn_without_progress(w);
  } else {
    give_up_without_progress(w);
  }
  if (w->rt->turns == nullptr) os::sleep_until(os::now_ns() + pause_ns);  // a virtual worker would keep the others from going on
}

// The unit's own last acts, which may switch. Returns the worker on which they ended.
worker* run_destructors(unit* one) {
  if (one->has(is_known)) [[unlikely]]
    run_key_destructors(one);
  return local::current_worker();
}

// Whether a new unit runs by a plain call on the carrier; of_class: the flags of the carrier's
// class.
[[gnu::always_inline]] inline bool starts_here(const unit* one, unsigned of_class) {
  constexpr unsigned obstacles = has_own_stack | may_be_dispatched | wants_to_move | keeps_fp;
  const unsigned flags = one->flags.load(base::relaxed);
  return !one->has_parked() && (flags & (obstacles | size_class_flags)) == of_class;
}

// Whether a unit that returned to its carrier leaves nothing behind but its join word.
bool ends_simply(const unit* one) { return !one->has_any(is_known | stays_put | may_be_dispatched | keeps_fp | ends_noticed); }

// Ends a unit that returned to its carrier, inside the lock.
std::uintptr_t end_inside(unit* one) { return one->has_parked() ? join_word::end(one) : join_word::end_inside(one); }

[[gnu::noinline]] void end_slow(worker* w, unit* one) {
  w->current = nullptr;
  if (one->is_dispatched()) w->first = one->parent;  // it was dispatched after it had parked: its scheduler goes on
  if (one->has(keeps_fp)) arch::load_fp_control(w->fp);
  if (one->has_any(stays_put | may_be_dispatched | ends_noticed) || w->rt->is_observed) return end(w, one);
  enter(w);
  const std::uintptr_t found = end_inside(one);
  w->lock.leave();
  settle_end(w, one, found);
}

// Runs `one`, and after it those that are next in the queue while all that they need is a call: no
// raider asks for attention, no look around is due, the next one starts here. Returns the worker,
// with `first` set if the next one has been chosen.
[[gnu::always_inline]] inline worker* run_in_a_row(worker* w, unit* one, unsigned of_class) {
  for (;;) {
    become(w, one);
    run_function(w, one);
    if (!ends_simply(one)) [[unlikely]] {
      w = run_destructors(one);
      end_slow(w, one);
      return w;
    }
    w = local::current_worker();
    if (w->detours.load(base::relaxed) != 0 || w->turns_left-- <= 0 || !w->lock.try_enter()) [[unlikely]] {
      end_slow(w, one);
      return w;
    }
    const std::uintptr_t found = end_inside(one);
    unit* next = w->ready.pop();
    w->lock.leave();
    if (found == join_word::open) [[likely]] {
      count_finished(w);
    } else if (found == join_word::detached && free_plainly(w, one)) {
      count_finished(w);
    } else {
      w->current = nullptr;  // a joiner may have freed it by now
      settle_end(w, one, found);
    }
    if (next == nullptr || !starts_here(next, of_class) || w->stacks.is_empty()) {
      w->current = nullptr;
      w->first = next;
      return w;
    }
    one = next;
  }
}

// Where guards cannot be had any more, canaries are on those stacks alone that were made from then
// on.
bool has_canary(const mem::stack* one) { return one->guard == os::guard_kind::canary; }

bool is_inspected(const runtime* rt, const mem::stack* one) { return rt->inspects_stacks || has_canary(one); }

// Carrier: makes room for one on a stack of another class, which is at hand, and which runs `next`.
[[noreturn]] void change_carrier(worker* w, unit* next, mem::stack* here, unsigned size_class) {
  if (size_class != mem::default_class) w->has_run_sized = true;
  enter(w);
  const fiber::context target = make_carrier(w, take_stack(w, size_class), next);
  give_stack(w, here);
  fiber::jump_to(target, side_of(w), w);
}

// As run_in_a_row for one unit, with everything that observers may want to be told about it.
worker* run_watched(worker* w, unit* one, mem::stack* here) {
  if (w->rt->inspects_stacks) the_hooks.prepare_stack(w, here);
  if (one->has(keeps_fp)) w->fp = arch::save_fp_control();
  note(w->rt, WEFT_ON_RUN, one);
  become(w, one);
  run_function(w, one);
  w = run_destructors(one);
  if (is_inspected(w->rt, here)) the_hooks.inspect_stack(w, one, here);
  end_slow(w, one);
  return w;
}

bool is_special(const unit* one) { return one->has_any(keeps_fp | size_class_flags); }

// A unit that does not simply start where its worker stands: it may need a stack of another class,
// or be looked after.
worker* run_specially(worker* w, unit* one, mem::stack* here) {
  unsigned size_class = here->size_class;
  if (class_of(one) != size_class && !ensure_stack_for(w, one, &size_class)) {
    wait_for_stack(w, one);
    return w;
  }
  if (size_class != here->size_class) change_carrier(w, one, here, size_class);
  if (w->is_watched || has_canary(here) || one->has(keeps_fp)) return run_watched(w, one, here);
  return run_in_a_row(w, one, flags_of_class(size_class));
}

unit* next_unit(worker* w) {
  unit* next = w->first;
  if (next != nullptr) {
    w->first = nullptr;
    return next;
  }
  if (w->has_run_taken_fork) [[unlikely]] {
    if (next = await_next_fork(w); next != nullptr) return next;
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
  if (w->rt->turns != nullptr) [[unlikely]]
    the_hooks.pass_point_between(w);
  next = find_own(w);
  if (next != nullptr) return next;
  wake_finalizer_if_drained(w);
  return idle(w);
}

// The bottom of a carrier.
[[noreturn]] void run_carrier(worker* w, mem::stack* here) {
  for (;;) {
    unit* next = next_unit(w);
    if (next == nullptr) [[unlikely]] {
      if (!is_claimed(w) || !is_programs_own(w)) end_carrier(w, here);
      step_aside(w, here);
      continue;
    }
    if (next->has(wants_to_move)) [[unlikely]] {
      make_ready(w, next, push_reason::moved);
    } else if (can_be_entered(next)) [[unlikely]] {
      leave_carrier(w, next, here);
    } else if (!w->stacks.ensure_one()) [[unlikely]] {
      wait_for_stack(w, next);
    } else if (w->is_watched || here->is_special || is_special(next)) [[unlikely]] {
      w = run_specially(w, next, here);
    } else {
      w = run_in_a_row(w, next, 0);
    }
  }
}

void give_back_stack(worker* w, void* stack) {
  auto* one = static_cast<mem::stack*>(stack);
  if (one->origin == mem::stack_origin::slot) {
    give_stack(w, one);
  } else {
    fiber::sanitizer::forget(one);
    w->rt->stack_depot.destroy(one);
  }
}

// The memory beneath a user's stack is the user's again once the thread was joined: it ends when
// no unit stands there any more.
void end_on_users_stack(worker* w, void* unit_that_left) {
  auto* ended = static_cast<unit*>(unit_that_left);
  fiber::sanitizer::forget(ended->stack);
  w->rt->stack_depot.destroy(ended->stack);
  end(w, ended);
}

void end_on_own_stack(worker* w, unit* ended) {
  if (w->standing->origin == mem::stack_origin::user) {
    if (w->rt->counts_errors) the_hooks.blame_errors(w, ended);
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
  run_carrier(w, static_cast<mem::stack*>(stack));
}

namespace {

// Whether a unit that is not watched, and that ends on a stack of the worker's, leaves nothing
// behind but that stack, its join word, and a scheduler that goes on.
bool ends_plainly(const worker* w, const unit* ended) {
  constexpr unsigned obstacles = keeps_fp | has_own_stack | stays_put;
  if (w == nullptr || w->rt->tells_events.load(base::relaxed)) return false;
  if (ended->has_any(obstacles) || ended->extra.load(base::relaxed) != nullptr) return false;
  if (w->standing->is_special) return false;
  return ended->parent != nullptr;
}

// Both: part of their caller. A call that does not return would upset the processor's
// predictions of all returns that come after it.
[[noreturn, gnu::always_inline]] inline void leave_to_scheduler(worker* w, unit* ended) {
  unit* const parent = ended->parent;
  w->current = nullptr;
  end_unheard(w, ended);
  unit* const next = parent->relays == nullptr ? parent : next_in_turn(w, parent, nullptr);
  w->stacks.give(w->standing);  // it is not taken before the jump
  enter(w);
  step_over(w, next);
  const fiber::context target = context_of(next);  // first: TSan's fiber of a new stack is made there
  fiber::jump_to(target, side_of(w), w);
}

// Ends the running unit and goes on with others; for units that cannot return to a carrier.
[[noreturn, gnu::always_inline]] inline void leave_for_good(unit* ended) {
  worker* w = run_destructors(ended);
  if (is_inspected(w->rt, w->standing)) [[unlikely]]
    the_hooks.inspect_stack(w, ended, w->standing);
  if (ended->has(keeps_fp)) arch::load_fp_control(w->fp);
  w->current = nullptr;
  unit* const parent = ended->parent;
  end_on_own_stack(w, ended);
  unit* next = parent != nullptr ? next_in_turn(w, parent, nullptr) : nullptr;
  enter(w);
  if (next == nullptr) next = choose_directly(w);
  const fiber::context target = way_to(w, next);
  fiber::jump_to(target, side_of(w), w);
}

[[gnu::noinline]] void prepare_own_stack(worker* w, const unit* self) {
  if (w->rt->inspects_stacks) the_hooks.prepare_stack(w, w->standing);
  if (self->has(keeps_fp)) w->fp = arch::save_fp_control();
}

}  // namespace

void own_stack_entry(void* transfer, void* argument) {
  auto* w = static_cast<worker*>(transfer);
  auto* self = static_cast<unit*>(argument);
  fiber::started();
  arrive(w);
  if (w->is_watched || self->has(keeps_fp)) [[unlikely]]
    prepare_own_stack(w, self);
  run_function(w, self);
  w = local::current_worker();
  if (ends_plainly(w, self) && !w->is_watched) leave_to_scheduler(w, self);
  leave_for_good(self);
}

// Flattened: to compilers what comes before such a jump is rare code, in which they inline nothing.
[[gnu::flatten]] void plain_stack_entry(void* transfer, void* argument) {
  auto* w = static_cast<worker*>(transfer);
  auto* self = static_cast<unit*>(argument);
  fiber::started();
  arrive(w);
  run_function(w, self);
  w = local::current_worker();
  if (ends_plainly(w, self)) [[likely]]
    leave_to_scheduler(w, self);
  leave_for_good(self);
}

}  // namespace weft::sched
