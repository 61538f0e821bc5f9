// Joining: an ended unit is reaped at once; one that has not started may run right here, on its
// joiner's stack; in a pool it must be the next one, for pools keep an order. Otherwise the joiner
// parks in the join word (protocol T).

#include "arch/cpu.hpp"
#include "os/clock.hpp"
#include "os/fence.hpp"
#include "run/awaiter.hpp"
#include "run/choose.hpp"
#include "run/end.hpp"
#include "run/enter.hpp"
#include "run/entering.hpp"
#include "run/fork.hpp"
#include "run/next.hpp"
#include "run/ready.hpp"
#include "run/resume.hpp"
#include "run/wait.hpp"
#include "thread/calls.hpp"
#include "thread/key.hpp"
#include "thread/thread.hpp"
#include "unit/waiter.hpp"
#include "worker/blocking_call.hpp"
#include "worker/clock.hpp"
#include "worker/hooks.hpp"
#include "worker/local.hpp"
#include "worker/outlived.hpp"
#include "worker/runtime.hpp"
#include "worker/worker.hpp"

namespace weft::sched {

namespace {

// Whether so much is free on the stack of the unit that runs. The program may have switched to a
// stack of its own (ucontext, Boost.Context, greenlet), of whose size nothing is known: none is.
[[gnu::always_inline]] inline bool has_room_below(const char* high, const char* low, std::size_t wanted_bytes) {
  const char* const here = arch::stack_pointer();
  return here - low >= static_cast<std::ptrdiff_t>(wanted_bytes) && here < high;
}

template <std::size_t runtime::* Wanted>
[[gnu::noinline]] bool has_room_on_os_stack(const worker* w) {
  const mem::stack* const stack = w->standing;
  const auto* low = static_cast<const char*>(stack != nullptr ? stack->low : w->rt->main_low);
  return has_room_below(low + (stack != nullptr ? stack->total_bytes : w->rt->main_bytes), low, w->rt->*Wanted);
}

// The record of a stack of Weft's lies at its high end; that of an adopted OS thread's stack
// elsewhere, so that its high end is looked at only if the record lies lower. Wanted: by its place,
// which costs the fast way no register.
template <std::size_t runtime::* Wanted>
[[gnu::always_inline]] inline bool has_room(const worker* w) {
  mem::stack* const stack = w->standing;
  if (stack != nullptr && has_room_below(stack->top(), stack->low, w->rt->*Wanted)) [[likely]]
    return true;
  return (stack == nullptr || stack->is_os_threads()) && has_room_on_os_stack<Wanted>(w);
}

// Whether `self` can lend its stack to a ULT, which may park on it and go on where units of `home`
// run: the identity, pinning and stack limit of both stay right.
bool may_lend(const unit* self, const pool* home) {
  constexpr unsigned obstacles =
      is_tasklet | has_own_stack | keeps_fp | is_main | is_adopted | stays_put | wants_to_move | may_be_dispatched;
  const pool* const own = self->home.load(base::relaxed);
  return (own == nullptr || own == home) && !self->has_any(obstacles);
}

// Whether `one`, if it has not started, may run on the stack of `self`. A tasklet returns before
// anything else happens, so that any ULT can lend to it.
bool may_run_on(const unit* self, const unit* one) {
  constexpr unsigned common = unsigned{is_known} | unsigned{is_fork} | unsigned{ends_noticed} | size_class_flags;
  const unsigned flags = one->flags.load(base::relaxed) & ~common;
  if (flags == is_tasklet) return !self->has(is_tasklet);
  return flags == is_default && may_lend(self, nullptr);
}

// The same of a unit of a pool, which has attributes: its size of stack counts.
bool of_pool_may_run_on(const unit* self, const unit* one, const pool* home) {
  constexpr unsigned common = unsigned{is_known} | unsigned{ends_noticed};
  const unsigned flags = one->flags.load(base::relaxed) & ~common;
  if (flags == is_tasklet) return !self->has(is_tasklet);
  return flags == 0 && may_lend(self, home);
}

// Whether the worker, if it had to choose now, would look into its pools before its queue.
bool are_pools_next(worker* w) {
  if (is_time_to_look(w) || w->custom.load(base::relaxed) != 0) return false;
  if (w->is_turn_of_pools) return true;
  if (!w->lock.try_enter()) return false;
  const bool has_none = w->ready.is_empty();
  w->lock.leave();
  return has_none;
}

// Takes `one` out of its pool if this worker would run it next, and it may run on the stack of
// `self`.
[[gnu::noinline]] bool take_next_to_run_here(worker* w, const unit* self, unit* one) {
  const pool* const home = one->home.load(base::relaxed);
  if (one->in.load(base::relaxed) != in_pool || w->is_special || w->rt->tells_events.load(base::relaxed)) return false;
  if (!of_pool_may_run_on(self, one, home)) return false;
  if (!has_room<&runtime::lend_bytes>(w) || one->join.load(base::relaxed) != join_word::open) return false;
  if (!are_pools_next(w) || !take_next_from_pools(w, home, one)) return false;
  --w->turns_left;
  w->is_turn_of_pools = false;
  one->join.store(join_word::lent, base::relaxed);  // no exchange: see take_to_run_here
  return true;
}

// ---- the turns of others ----
//
// A unit that runs on its joiner's stack takes its turn before units that have waited longer, so it
// counts as a choice of the worker. When a look around is due, the joiner parks, and the unit that
// has waited longest runs. A parked joiner keeps its stack, and in a recursion the longest-waiting
// unit is another large part, whose joins park in turn: so the more joiners stand behind others,
// the more looks pass before the next one does, and n joins make only about the root of n stacks.

constexpr std::int32_t joins_between_looks = 256;  // a look costs as much as many joins
constexpr std::uint32_t most_looks_passed = 1024;

// Then its turn is due itself.
bool has_waited_longest(worker* w, const unit* one) {
  if (w->detours.load(base::relaxed) != 0) return false;
  enter(w);
  const bool is_oldest = w->ready.contains(one) && w->ready.has_waited_longest(one);
  w->lock.leave();
  return is_oldest;
}

bool has_passed_enough_looks(worker* w) {
  const std::uint32_t behind = w->rt->joiners_behind.load(base::relaxed);
  if (w->looks_passed < (behind < most_looks_passed ? behind : most_looks_passed)) {
    ++w->looks_passed;
    return false;
  }
  w->looks_passed = 0;
  return true;
}

// Of a joiner that is about to park.
bool stands_behind_others(const worker* w) { return w != nullptr && w->current != nullptr && is_time_to_look(w); }

// A look around is due. False: it is left to the carrier, which then runs the unit that has waited
// longest. The look before has asked for that unit already.
[[gnu::noinline]] bool runs_before_others(worker* w, const unit* one) {
  if (is_turn_overdue(w) && !has_waited_longest(w, one) && has_passed_enough_looks(w)) return false;
  look_around(w);
  w->turns_left = joins_between_looks;
  return true;
}

// Takes `one` out of this worker's queue if it is there, has not started, and may run on the stack
// of `self`.
bool take_to_run_here(worker* w, const unit* self, unit* one) {
  if (!w->ready.contains(one)) return take_next_to_run_here(w, self, one);
  if (w->is_special || one->has_parked() || !may_run_on(self, one)) return false;
  if (!has_room<&runtime::lend_bytes>(w)) return false;
  if (--w->turns_left < 0 && !runs_before_others(w, one)) [[unlikely]]
    return false;
  if (!w->lock.try_enter()) return false;
  const bool is_mine = w->ready.contains(one) && one->join.load(base::relaxed) == join_word::open;
  if (is_mine) {
    w->ready.taken(one);
    // No exchange: another joiner that comes in this very moment is lost, but one that comes later
    // is told.
    one->join.store(join_word::lent, base::relaxed);
  }
  w->lock.leave();
  return is_mine;
}

void note_start(const worker* w, unit* one) {
  if (const runtime* const rt = w != nullptr ? w->rt : local::current_runtime(); rt->is_observed)
    one->set(is_known);  // what then becomes of it is told on the long ways
}

}  // namespace

void start_owned(unit* one) {
  worker* const w = local::current_worker();
  note_start(w, one);
  make_ready(w, one, push_reason::created);
}

void offer_owned(unit* one) {
  worker* const w = local::current_worker();
  note_start(w, one);
  if (w == nullptr || !offer(w, one)) make_ready(w, one, push_reason::created);
}

bool take_back(unit* one) {
  worker* const w = local::current_worker();
  if (w == nullptr || w->current == nullptr || w->is_special || !w->ready.contains(one)) return false;
  if (one->has_parked()) return false;
  if (--w->turns_left < 0 && !runs_before_others(w, one)) [[unlikely]]
    return false;
  if (!w->lock.try_enter()) return false;
  const bool is_mine = w->ready.contains(one);
  if (is_mine) w->ready.taken(one);
  w->lock.leave();
  return is_mine;
}

namespace {

// What the unit did beyond running on its joiner's stack. One that parked there and was dispatched
// by a scheduler meanwhile leaves the way back to that scheduler to its joiner, which goes on in
// its place.
[[gnu::noinline]] worker* end_on_joiners_stack(unit* self, unit* one) {
  if (one->has(is_known)) run_key_destructors(one);
  worker* w = local::current_worker();
  if (one->has(stays_put)) unpin_from(w->rt, one->home_worker);
  if (one->is_dispatched()) self->set_parent(one->parent);
  return w;
}

void run_on_own_stack(worker* w, unit* self, unit* one) {
  if (has_forks(w)) [[unlikely]]
    detach_forks(w);
  check_leaving(w, self);
  self->state.store(unit_state::blocked, base::relaxed);
  w->current = one;
  one->state.store(unit_state::running, base::relaxed);
  one->function(one->argument);
  note_return();
  w = one->has_any(is_known | stays_put | may_be_dispatched) ? end_on_joiners_stack(self, one) : local::current_worker();
  w->current = self;
  self->state.store(unit_state::running, base::relaxed);
  count_finished(w);
  if (!free_plainly(w, one)) free_unit(w, one);
}

struct join_wait {
  unit* target;
  waiter* me;
  std::uintptr_t found;
};

// The heavy half of the end of a unit that never parks, for a caller that has just changed its join
// word: see there. After it no end will overwrite the word.
void outlast_plain_ends(const unit* target) {
  if (target->has_parked() || target->has(ends_noticed)) return;
  runtime* rt = local::current_runtime();
  // [T8] heavy fence: the joiner's record before the look at the locks; pairs with [D1] [D9] [D14]
  os::heavy_fence();
  const unsigned slots = rt->worker_slots.load(base::relaxed);
  for (unsigned index = 0; index < slots; ++index) {
    // Also one that is leaving: it may still run the target.
    const worker* runner = worker_in_slot(rt, index);
    if (runner != nullptr && runner != local::current_worker()) runner->lock.wait_until_left();
  }
}

// Calls change() if the target waits in this worker's own queue, or is what this worker runs next:
// it starts after this, so no fence is needed. False: it is not there, and nothing was done.
template <class Change>
bool change_in_queue(const unit* target, Change change) {
  worker* w = local::current_worker();
  if (w == nullptr) return false;
  enter(w);
  const bool is_here = w->first == target || w->ready.contains(target);
  if (is_here) change();
  w->lock.leave();
  return is_here;
}

bool publish_join(void* argument) {
  auto* wanted = static_cast<join_wait*>(argument);
  bool is_waiting = false;
  const auto announce = [&] { is_waiting = join_word::wait_for(wanted->target, wanted->me, &wanted->found); };
  if (change_in_queue(wanted->target, announce)) return is_waiting;
  announce();
  if (!is_waiting) return false;
  outlast_plain_ends(wanted->target);
  if (wanted->target->join.load(base::relaxed) != join_word::ended) return true;
  wanted->found = join_word::ended;
  return false;
}

// After the deadline of a joiner whose record was in the join word. If the unit has just ended it
// has noticed the joiner, and its finisher still holds the record.
status give_up(unit* one, waiter* me) {
  if (join_word::give_up(one, me)) return status::timeout;
  // [T7] acquire: the finisher has let go; pairs with [T6]
  while (me->word.load(base::acquire) != dropped) arch::pause();
  return status::ok;
}

void leave_join(await_record* one) {
  auto* const target = static_cast<unit*>(const_cast<void*>(one->object));
  if (one == one->of->winner) return;  // nothing is done with it after its claim
  static_cast<void>(give_up(target, one));
}

}  // namespace

// The target stays until all is armed, for only then can ready be called.
status arm_join(await_record* one, unit* target, armed_as* what) {
  join_wait wanted{target, one, join_word::open};
  *what = armed_as::waits;
  one->leave = leave_join;
  if (publish_join(&wanted)) return status::ok;
  one->leave = nullptr;  // the record is in no word
  if (wanted.found == join_word::detached) return because(status::invalid, "object", "the thread is detached");
  if (!join_word::means_ended(wanted.found)) return status::busy;
  if (was_dropped(target)) return because(status::ended, "object", was_dropped_at_the_end);
  *what = take_at_once(one) ? armed_as::over : armed_as::lost;
  return status::ok;
}

namespace {

status park_for(unit* one, std::uint64_t deadline_ns) {
  waiter me(end_of_unit, one);
  me.deadline_ns = deadline_ns;
  join_wait wanted{one, &me, join_word::open};
  const wait_result result = wait_published(&me, publish_join, &wanted);
  if (wanted.found == join_word::detached) return status::invalid;
  if (join_word::means_ended(wanted.found)) return status::ok;  // before the record was in the word: no other caller holds it
  if (wanted.found != join_word::open) return status::busy;
  if (result == wait_result::timed_out && give_up(one, &me) == status::timeout) return status::timeout;
  return me.payload == nullptr ? status::ok : status::ended;
}

// False: it was ended otherwise.
bool end_wait(waiter* joiner) {
  if (is_awaiters(joiner)) {
    await_record* const record = record_of(joiner);
    if (!end_dropped_awaiter(record)) return false;
    record->leave = nullptr;  // it is in no word
    deliver(record);
    return true;
  }
  if (joiner->who != nullptr) return true;
  joiner->payload = joiner;
  return wake(joiner);
}

}  // namespace

void tell_joiner_of_drop(unit* one) {
  waiter* const joiner = join_word::take_joiner(one);
  if (joiner != nullptr && !end_wait(joiner)) let_joiner_go(joiner);
}

namespace {

// It lets nothing go: the handle is detached, as after any error of a join.
[[gnu::noinline]] status tell_of_dropped(const unit* one, const call_errors& of) { return tell(status::ended, of, one); }

status free_joined(worker* w, unit* one) {
  if (is_outlived(one)) {
    if (was_dropped(one)) return tell_of_dropped(one, joining);
    let_outlived_go(one);
    return status::ok;
  }
  note(w != nullptr ? w->rt : local::current_runtime(), WEFT_ON_JOIN, one);
  free_unit(w, one);
  return status::ok;
}

// Also in a blocking region, where it would wait for itself.
bool is_calling(const unit* one) {
  unit* const self = local::current_worker() != nullptr ? local::current_unit() : caller_in_region();
  return identity_of(self) == one;
}

status wait_for_end_until(unit* one, std::uint64_t deadline_ns) {
  if (one->join.load(base::relaxed) == join_word::detached) return status::invalid;
  if (is_calling(one)) return status::deadlock;
  if (!may_block()) return deadline_ns <= now_ns() ? status::timeout : status::cannot_block;
  return park_for(one, deadline_ns);
}

[[gnu::noinline]] status wait_behind_others(unit* one) {
  runtime* const rt = local::current_runtime();
  rt->joiners_behind.fetch_add(1, base::relaxed);
  const status result = wait_for_end_until(one, forever);
  rt->joiners_behind.fetch_sub(1, base::relaxed);
  if (worker* w = local::current_worker(); w->turns_left > 0) w->turns_left = joins_between_looks;
  return result;
}

// What is no short way costs little more when it looks whether there is something to join.
[[gnu::noinline]] status join_by_waiting(unit* one, std::uint64_t deadline_ns) {
  refuse_freed(one, joining.call);
  const bool is_behind = deadline_ns == forever && stands_behind_others(local::current_worker());
  const status result = is_behind ? wait_behind_others(one) : wait_for_end_until(one, deadline_ns);
  if (result != status::ok) return tell(result, joining, one);
  return free_joined(local::current_worker(), one);
}

[[gnu::noinline]] status join_unended(unit* one, std::uint64_t deadline_ns) {
  worker* w = local::current_worker();
  unit* self = w != nullptr ? w->current : nullptr;
  if (self == nullptr || deadline_ns != forever || !take_to_run_here(w, self, one)) return join_by_waiting(one, deadline_ns);
  run_on_own_stack(w, self, one);
  return status::ok;
}

[[gnu::noinline]] status reap_slow(worker* w, unit* one) {
  refuse_freed(one, joining.call);
  return free_joined(w, one);
}

[[gnu::noinline]] status reap_used(worker* w, unit* one) {
  refuse_freed(one, joining.call);
  if (w->rt->tells_events.load(base::relaxed) || !free_used(w, one)) [[unlikely]]
    return reap_slow(w, one);
  return status::ok;
}

status reap(unit* one) {
  worker* const w = local::current_worker();
  if (free_plainly(w, one)) return status::ok;
  return w != nullptr ? reap_used(w, one) : reap_slow(w, one);
}

}  // namespace

bool joins_newest_first() {
  const worker* const w = local::current_worker();
  return w != nullptr && w->current != nullptr && may_lend(w->current, nullptr);
}

status join(unit* one, std::uint64_t deadline_ns) {
  return join_word::has_ended(one) ? reap(one) : join_unended(one, deadline_ns);
}

namespace {

// A fork that another worker runs has often been begun when its forker began with the rest, and
// ends with it: for as long as parking and being woken cost, the forker waits for it in place.
bool ends_soon(const worker* w, const unit* one) {
  constexpr std::uint64_t wait_ns = 2'000;
  constexpr int rounds = 16;
  if (w->rt->turns != nullptr || w->rt->worker_count.load(base::relaxed) > w->rt->cpu_count) return false;
  if (one->has_parked() || w->ready.contains(one)) return false;
  const std::uint64_t since = os::now_ns();
  do {
    for (int round = 0; round < rounds; ++round) {
      if (join_word::has_ended(one)) return true;
      arch::pause();
    }
  } while (os::now_ns() - since < wait_ns);
  return false;
}

}  // namespace

status join_fork(unit* one) {
  const worker* w = local::current_worker();
  if (join_word::has_ended(one) || ends_soon(w, one)) return reap(one);
  return has_room<&runtime::fork_lend_bytes>(w) ? join(one, forever) : join_by_waiting(one, forever);
}

namespace {

[[gnu::noinline]] status wait_for_end_slow(unit* one) {
  const status result = tell(wait_for_end_until(one, forever), waiting_for_end, one);
  return result == status::ok && was_dropped(one) ? tell_of_dropped(one, waiting_for_end) : result;
}

}  // namespace

status wait_for_end(unit* one) { return join_word::has_ended(one) ? status::ok : wait_for_end_slow(one); }

status try_join(unit* one) {
  if (!join_word::has_ended(one)) {
    return one->join.load(base::relaxed) == join_word::detached ? status::invalid : status::busy;
  }
  return reap(one);
}

status detach(unit* one) {
  std::uintptr_t found = join_word::open;
  bool has_begun = false;
  const auto begin = [&] { has_begun = join_word::begin_detach(one, &found); };
  if (!change_in_queue(one, begin)) {
    begin();
    if (has_begun) outlast_plain_ends(one);
  }
  if (has_begun && join_word::complete_detach(one)) return status::ok;
  if (!has_begun && found == join_word::detached) return status::invalid;
  if (!has_begun && !join_word::means_ended(found)) return status::busy;
  free_unit(local::current_worker(), one);
  return status::ok;
}

}  // namespace weft::sched
