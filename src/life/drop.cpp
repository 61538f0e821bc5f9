// See drop.hpp. Called by weft_finalize_with alone.
#include "life/drop.hpp"

#include "base/assert.hpp"
#include "base/config.hpp"
#include "fiber/sanitizer.hpp"
#include "life/hosts.hpp"
#include "life/removal.hpp"
#include "life/slots.hpp"
#include "life/workers.hpp"
#include "os/clock.hpp"
#include "os/futex.hpp"
#include "os/thread.hpp"
#include "os/vm.hpp"
#include "place/pool.hpp"
#include "run/awaiter.hpp"
#include "run/end.hpp"
#include "run/stack_class.hpp"
#include "see/dropped.hpp"
#include "see/observers.hpp"
#include "thread/thread.hpp"
#include "unit/pool_record.hpp"
#include "worker/clock.hpp"
#include "worker/extras.hpp"
#include "worker/failure.hpp"
#include "worker/outlived.hpp"
#include "worker/runtime.hpp"
#include "worker/worker.hpp"

namespace weft::sched {

namespace {

constexpr std::uint64_t between_looks_ns = 1'000'000;

status let_nothing_change(runtime* rt) {
  const queue::guard hold(rt->workers_lock);
  if (rt->adopted_count != 0)
    return because(status::busy, nullptr, "OS threads are adopted: %u; each calls weft_worker_leave before", rt->adopted_count);
  rt->adopts_no_more = true;
  rt->drops.store(true, base::relaxed);
  return status::ok;
}

// Units that remove a worker, or wait to run theirs again, may need the caller's worker to go on.
bool is_changing(runtime* rt) { return rt->calls.load(base::relaxed) != 0 || are_workers_claimed(rt); }

}  // namespace

status begin_drop(runtime* rt) {
  if (const status result = let_nothing_change(rt); result != status::ok) return result;
  while (is_changing(rt)) {
    give_up_removals(rt);
    refuse_claims(rt);
    static_cast<void>(sleep_until(now_ns() + between_looks_ns));
  }
  return status::ok;
}

namespace {

// The adopted caller's worker runs the caller, which does not switch any more.
worker* worker_to_end(const runtime* rt, unsigned index) {
  worker* const w = rt->workers[index].load(base::relaxed);
  const bool is_callers = index == 0 && rt->has_adopted_caller;
  return w != nullptr && w->is_taken && !is_callers ? w : nullptr;
}

template <class Use>
void for_workers_to_end(runtime* rt, Use use) {
  for (unsigned index = 0; index < rt->worker_slots.load(base::relaxed); ++index) {
    if (worker* const w = worker_to_end(rt, index); w != nullptr) use(w);
  }
}

// Whether each worker has ended, or is lent by a thread in a blocking region, at whose end that
// thread switches: what lives will be dropped.
bool run_no_more(runtime* rt) {
  bool all_rest = true;
  for_workers_to_end(
      rt, [&](const worker* w) { all_rest = all_rest && (w->has_ended.load(base::relaxed) != 0 || w->lent.seen() != nullptr); });
  return all_rest;
}

// The call of a thread in a region may wait for a unit that is dropped, or for an OS thread that
// does. Again and again: others may come to wait.
void tell_joiners(runtime* rt) {
  if (!run_no_more(rt)) return;
  walk_units(
      rt,
      [](void* main, unit* one) {
        if (one != main && one->state.load(base::relaxed) != unit_state::free) tell_joiner_of_drop(one);
      },
      main_of(rt));
}

// Where its unit switches next. Its OS thread stays until stop_workers.
void await_end(runtime* rt, worker* w) {
  while (w->has_ended.load(base::relaxed) == 0) {
    if (rt->turns != nullptr) {
      let_others_go_on(rt);
    } else if (!os::futex_wait_until(&w->has_ended, 0, os::now_ns() + between_looks_ns)) {
      tell_joiners(rt);
    }
  }
}

}  // namespace

void await_switches(runtime* rt) {
  for_workers_to_end(rt, slots::tell_to_end);
  for_workers_to_end(rt, [rt](worker* w) { await_end(rt, w); });
  while (are_spares_in_regions(rt)) {
    tell_joiners(rt);
    os::sleep_until(os::now_ns() + between_looks_ns);
  }
}

dropped_units::dropped_units(runtime* rt) : rt_(rt) {
  const dropped_counts counts = count_to_drop(rt);
  if (config::checked && counts.all() != live_units(rt))
    base::panic("weft_finalize_with: %llu units are left, and %llu have not ended; this is a fault of Weft's",
                static_cast<unsigned long long>(counts.all()), static_cast<unsigned long long>(live_units(rt)));
  tell_dropped(rt, counts);
  walk_dropped(rt, [this](unit* one) { collect_stack(one); });
}

namespace {

void leave_pool(unit* one) {
  pool* const home = one->home.load(base::relaxed);
  if (home == nullptr) return;
  const bool is_ready = one->state.load(base::relaxed) == unit_state::ready;
  if (is_ready && one->in.load(base::relaxed) == in_pool) static_cast<void>(remove_from_pool(home, one));
  home->blocked_count.store(0, base::relaxed);  // all that belonged to it are dropped
}

bool is_collected(const mem::stack* one) { return one->run == UINT32_MAX; }

// Whether the program may hold the handle of a unit that nothing runs any more. Its joiner may be
// dropped, too, and others still have the handle.
bool may_have_handle(const unit* one) { return !one->has(is_fork) && one->join.load(base::relaxed) != join_word::detached; }

}  // namespace

// Of several units that stand on one stack, one above the other, each may name it.
void dropped_units::collect_stack(unit* one) {
  if (!one->has_parked() && !one->has(has_own_stack)) return;
  mem::stack* const stack = one->stack;
  const bool is_contexts = stack != nullptr && !is_collected(stack) && stack->resumer != nullptr;
  if (stack == nullptr || is_collected(stack) || is_contexts) return;
  stack->run = UINT32_MAX;
  stack->resumer = stacks_;
  stacks_ = stack;
}

bool dropped_units::is_dropped(const waiter* one) const {
  if (one->who != nullptr) return true;
  const auto* const at = reinterpret_cast<const char*>(one);
  for (const mem::stack* each = stacks_; each != nullptr; each = static_cast<const mem::stack*>(each->resumer)) {
    if (each->low <= at && at < reinterpret_cast<const char*>(each)) return true;
  }
  return false;
}

dropped_waits dropped_units::waits() const {
  return {[](const void* state, const waiter* one) { return static_cast<const dropped_units*>(state)->is_dropped(one); }, this};
}

void dropped_units::drop(unit* one) {
  leave_pool(one);
  free_details(one);
  if (!may_have_handle(one)) return;
  leave_dropped(one);
  one->next = kept_;
  kept_ = one;
}

void dropped_units::give_stacks_back() {
  while (stacks_ != nullptr) {
    mem::stack* one = stacks_;
    stacks_ = static_cast<mem::stack*>(const_cast<void*>(one->resumer));
    one->resumer = nullptr;
    one->run = 0;
    fiber::sanitizer::forget(one);
    tell_stack(rt_, nullptr, one);
    if (one->origin == mem::stack_origin::slot) {
      depot_of(rt_, one->size_class)->give(&one, 1);
    } else {
      rt_->stack_depot.destroy(one);
    }
  }
}

void dropped_units::leave_all() {
  walk_dropped(rt_, [this](unit* one) { drop(one); });
}

void dropped_units::end_joins() {
  while (unit* const one = kept_) {
    kept_ = static_cast<unit*>(one->next);
    one->next = nullptr;
    const std::uintptr_t found = join_word::end(one);
    if (found == join_word::detached) let_outlived_go(one);  // since it was kept
    if (waiter* const joiner = join_word::joiner_in(found); joiner != nullptr && !is_dropped(joiner)) joiners_.push_back(joiner);
  }
  give_stacks_back();
  base::list<waiter> ended;  // delivered once no record of theirs is used any more: ready may free them
  while (waiter* const one = joiners_.pop_front()) {
    if (!is_awaiters(one)) {
      wake_joiner(one);
    } else if (end_dropped_awaiter(record_of(one))) {
      record_of(one)->leave = nullptr;
      ended.push_back(one);
    } else {
      let_joiner_go(one);
    }
  }
  while (waiter* const one = ended.pop_front()) deliver(record_of(one));
}

}  // namespace weft::sched
