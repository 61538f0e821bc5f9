// Yields: to the next one, to a named unit, and to one that the caller owns.

#include "run/yield.hpp"

#include "os/thread.hpp"
#include "run/choose.hpp"
#include "run/dispatch.hpp"
#include "run/enter.hpp"
#include "run/entering.hpp"
#include "run/fork.hpp"
#include "run/left_behind.hpp"
#include "run/next.hpp"
#include "run/park.hpp"
#include "run/ready.hpp"
#include "unit/pool_record.hpp"
#include "worker/hooks.hpp"
#include "worker/local.hpp"
#include "worker/runtime.hpp"
#include "worker/worker.hpp"

namespace weft::sched {

namespace {

// ---- the short way: two units that have both parked before, in this worker's own queue, and need nothing but to change places

// Whether the two, of which self may be left plainly, only need to change places.
[[gnu::always_inline]] inline bool may_change_places(const unit* self, const unit* next) {
  return context_word::are_saved(self->context, next->context) && next->may_be_stolen();
}

// Inside the lock, which the switch leaves.
[[gnu::always_inline]] inline void change_places(worker* w, unit* self, unit* next) {
  note_leaving(w, self);
  w->ready.exchange_yielded(next, self);
  --w->turns_left;
  self->state.store(unit_state::ready, base::relaxed);
  step_over(w, next);
  arrive(static_cast<worker*>(fiber::switch_to(self->context.slot(), next->context.context(), side_of(w), w)));
}

// ---- the long way ----

[[gnu::noinline]] void yield_slow() {
  worker* w = local::current_worker();
  if (w == nullptr) return os::yield_cpu();
  unit* self = w->current;
  if (w->rt->turns != nullptr) [[unlikely]]
    the_hooks.pass_yield_point();
  if (self == nullptr || self->has(is_tasklet)) return;
  sched::yield(w, self);
}

// Takes `next` out of this worker's queue, or of a pool that this worker serves; inside the lock if
// true.
bool take_ready(worker* w, unit* next) {
  if (w->must_end.load(base::relaxed)) return false;  // a carrier must see that
  if (pool* home = next->home.load(base::relaxed); home != nullptr) {
    if (is_pinned_elsewhere(w, next) || !take_from_pool(w, home, next)) return false;
    if (is_pinned_elsewhere(w, next)) {  // since a moment ago
      send_where_pinned(w->rt, next);
      return false;
    }
    enter(w);
    return true;
  }
  enter(w);
  if (w->ready.contains(next)) {
    w->ready.taken(next);
    return true;
  }
  w->lock.leave();
  return false;
}

bool serves_others(const worker* w) { return w->pool_count.load(base::relaxed) != 0 || w->custom.load(base::relaxed) != 0; }

// Inside the lock: the unit that has waited longest, before `next`; or `next` if there is none.
unit* put_behind_oldest(worker* w, unit* next) {
  w->owes_oldest = false;
  unit* const oldest = w->ready.pop_longest_waiting();
  if (oldest == nullptr) return next;
  w->ready.push_recent(next);
  return oldest;
}

[[gnu::cold, gnu::noinline]] status tell_yielded(const unit* next, bool is_dispatched, bool is_turn_of_pools) {
  if (is_dispatched)
    static_cast<void>(because(status::again, nullptr, "a scheduler ULT dispatched the caller, which has yielded to it"));
  else if (is_turn_of_pools)
    static_cast<void>(
        because(status::again, nullptr, "units of other queues have waited longer; the caller has yielded to them"));
  else
    static_cast<void>(because(status::again, "thread", "it is not ready where this worker would take it"));
  return tell(status::again, yielding_to, next);
}

[[gnu::noinline]] status yield_to_slow(unit* next) {
  worker* w = local::current_worker();
  unit* self = w != nullptr ? w->current : nullptr;
  if (self == nullptr || self->has(is_tasklet)) return tell(status::cannot_block, yielding_to);
  if (join_word::has_ended(next)) return tell(status::invalid, yielding_to, next);
  const bool is_turn_of_others = is_turn_overdue(w);
  if (is_time_to_look(w)) look_around(w);
  if (has_forks(w)) detach_forks(w);
  const bool is_dispatched = self->is_dispatched();
  // Of pools, which keep their order, a carrier takes the next unit.
  const bool is_turn_of_pools = is_turn_of_others && (next->home.load(base::relaxed) != nullptr || serves_others(w));
  if (next == self || is_dispatched || is_turn_of_pools || !take_ready(w, next)) {
    sched::yield(w, self);
    return next == self ? status::ok : tell_yielded(next, is_dispatched, is_turn_of_pools);
  }
  --w->turns_left;
  if (is_turn_of_others) next = put_behind_oldest(w, next);
  self->state.store(unit_state::ready, base::relaxed);
  if (self->home.load(base::relaxed) == nullptr && !self->has(wants_to_move) && !w->rt->settings.migrate) {
    note(w->rt, WEFT_ON_YIELD, self);
    w->ready.push_yielded(self);
  } else {
    w->after = {become_ready_again, self};
  }
  leave_for(w, self, next);
  return status::ok;
}

// ---- to a unit that the caller owns ----

using way = void (*)(worker* w, void* yielded);
way way_back(bool as_new) { return as_new ? become_ready_as_new : become_ready_again; }

// The scheduler that dispatched self, if one did, waits for next instead.
void pass_on_scheduler(unit* self, unit* next) {
  if (!self->is_dispatched()) return;
  next->set_parent(self->parent);
  self->parent = nullptr;
}

// Whether nothing hinders self from leaving for a unit that it owns.
bool may_give_way(const worker* w, const unit* self) {
  return !w->is_special && !w->rt->tells_events.load(base::relaxed) && !is_time_to_look(w) && !carries(w) && !has_forks(w) &&
         !self->has_any(is_tasklet | keeps_fp | wants_to_move);
}

void prepare_to_give_way(worker* w, unit* self, unit* next, after_switch after) {
  pass_on_scheduler(self, next);
  --w->turns_left;
  w->after = after;
}

// Inside the lock, which the switch leaves.
[[gnu::always_inline]] inline void give_way(worker* w, unit* self, unit* next, fiber::context target, after_switch after) {
  prepare_to_give_way(w, self, next, after);
  leave_mark(w, self);
  step_over(w, next);
  arrive(static_cast<worker*>(fiber::switch_to(self->context.slot(), target, side_of(w), w)));
}

// Besides what the caller owns, and is. A worker that serves pools may have some there.
bool has_others_ready(worker* w) {
  if (serves_others(w)) return true;
  enter(w);
  const bool any = !w->ready.is_empty();
  w->lock.leave();
  return any;
}

[[gnu::noinline]] status yield_to_owned_slow(unit* next, bool as_new) {
  worker* w = local::current_worker();
  unit* self = w != nullptr ? w->current : nullptr;
  if (self == nullptr || self->has(is_tasklet)) return tell(status::cannot_block, yielding_to_owned);
  if (is_pinned_elsewhere(w, next)) return tell(status::invalid, yielding_to_owned, next);
  if (next->has_any(is_tasklet | wants_to_move)) {
    const status result = dispatch(next);
    if (result != status::ok) return tell(result, yielding_to_owned, next);
    sched::yield(local::current_worker(), self);
    return result;
  }
  const bool is_turn_of_others = is_turn_overdue(w) && !self->is_dispatched();
  if (is_time_to_look(w)) look_around(w);
  if (has_forks(w)) detach_forks(w);
  // A carrier must see that, or the scheduler that dispatched self.
  if (w->must_end.load(base::relaxed) || (is_turn_of_others && has_others_ready(w))) {
    send_home(w, next);
    sched::yield(w, self);
    return status::ok;
  }
  if (!can_follow(w, next)) return tell(status::nomem, yielding_to_owned, next);
  prepare_to_give_way(w, self, next, {way_back(as_new), self});
  if (!can_be_entered(next)) unbind_stack(w, next);  // a carrier runs it, where it stands itself
  enter(w);
  leave_for(w, self, next);
  return status::ok;
}

}  // namespace

status yield_to_owned(unit* next, bool as_new) {
  worker* w = local::current_worker();
  unit* self = w != nullptr ? w->current : nullptr;
  if (self == nullptr || !may_give_way(w, self)) [[unlikely]]
    return yield_to_owned_slow(next, as_new);
  if (begins_to_start(w, next)) {
    prepare_to_give_way(w, self, next, {way_back(as_new), self});
    start(w, self, next);
    return status::ok;
  }
  if (!can_follow(w, next) || !w->lock.try_enter()) [[unlikely]]
    return yield_to_owned_slow(next, as_new);
  give_way(w, self, next, context_of(next), {way_back(as_new), self});
  return status::ok;
}

namespace {

// Inside the pool's lock: whether next can be entered as it is. Then the worker's lock is entered,
// too.
bool may_enter_now(worker* w, unit* next, bool (*accepts)(void* state, weft_thread* unit), void* state) {
  if (!may_run_here(w, next) || !next->has_parked() || !w->lock.try_enter()) [[unlikely]]
    return false;
  if (accepts(state, reinterpret_cast<weft_thread*>(next))) [[likely]]
    return true;
  w->lock.leave();
  return false;
}

void unlock_pool(worker* w, void* left) { static_cast<pool*>(left)->lock.unlock_and_lean_to(w); }

}  // namespace

status yield_in_pool(bool (*accepts)(void* state, weft_thread* unit), void* state) {
  worker* w = local::current_worker();
  unit* self = w != nullptr ? w->current : nullptr;
  if (self == nullptr) [[unlikely]]
    return tell(is_left_behind() ? status::unsupported : status::cannot_block, yielding_in_pool);
  pool* const home = self->home.load(base::relaxed);
  if (home == nullptr || !may_give_way(w, self)) [[unlikely]]
    return self->has(is_tasklet) ? tell(status::cannot_block, yielding_in_pool) : status::busy;
  unit* const next = lock_first(w, home);
  if (next == nullptr) return home->is_plain && ready_units(home) == 0 ? status::again : status::busy;
  if (!may_enter_now(w, next, accepts, state)) {
    home->lock.unlock(w);
    return status::busy;
  }
  replace_first(home, self);
  self->state.store(unit_state::ready, base::relaxed);
  give_way(w, self, next, next->context.context(), {unlock_pool, home});
  return status::ok;
}

void yield() {
  worker* w = local::current_worker();
  unit* self = w != nullptr ? w->current : nullptr;
  if (self == nullptr || !may_leave_plainly(w, self, stays_put) || !w->lock.try_enter()) [[unlikely]]
    return yield_slow();
  unit* next = w->ready.next_yielded();
  if (next == nullptr || !may_change_places(self, next)) [[unlikely]] {
    w->lock.leave();
    return yield_slow();
  }
  change_places(w, self, next);
}

void yield_as_new() {
  worker* const w = local::current_worker();
  unit* const self = w != nullptr ? w->current : nullptr;
  if (self == nullptr || self->has(is_tasklet) || self->home.load(base::relaxed) == nullptr) return yield();
  if (w->rt->turns != nullptr) [[unlikely]]
    the_hooks.pass_yield_point();
  yield_away(w, self, true);
}

status yield_to(unit* next) {
  worker* w = local::current_worker();
  unit* self = w != nullptr ? w->current : nullptr;
  if (self == nullptr || !may_leave_plainly(w, self, stays_put) || !w->lock.try_enter()) [[unlikely]]
    return yield_to_slow(next);
  if (!w->ready.contains(next) || !may_change_places(self, next)) [[unlikely]] {
    w->lock.leave();
    return yield_to_slow(next);
  }
  change_places(w, self, next);
  return status::ok;
}

}  // namespace weft::sched
