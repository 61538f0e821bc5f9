// What a thread does to itself and others besides create and join: sleep, pin, migrate. Called by
// units, and by OS threads outside where that makes sense.
#include "thread/thread.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "os/clock.hpp"
#include "os/heap.hpp"
#include "os/thread.hpp"
#include "run/park.hpp"
#include "run/poll_pause.hpp"
#include "run/ready.hpp"
#include "run/wait.hpp"
#include "run/waiting_units.hpp"
#include "run/yield.hpp"
#include "unit/pool_record.hpp"
#include "unit/waiter.hpp"
#include "worker/clock.hpp"
#include "worker/extras.hpp"
#include "worker/failure.hpp"
#include "worker/hooks.hpp"
#include "worker/local.hpp"
#include "worker/runtime.hpp"
#include "worker/worker.hpp"

namespace weft::sched {

status sleep_until(std::uint64_t deadline_ns) {
  if (!may_block()) return status::cannot_block;
  if (local::current_worker() == nullptr) {
    os::sleep_until(deadline_ns);
    return status::ok;
  }
  waiter me("sleep", nullptr);
  me.deadline_ns = deadline_ns;
  if (deadline_ns <= now_ns()) {
    yield();
    return status::ok;
  }
  const auto known_to_the_clock_alone = [](void*) { return true; };
  static_cast<void>(wait_published(&me, known_to_the_clock_alone, nullptr));
  return status::ok;
}

namespace {

constexpr std::uint64_t outside_pause_ns = 50'000;

// Of a unit that has found nothing to run beside itself.
std::uint64_t next_pause_ns(unit* self, std::uint64_t now) {
  details* const extra = details_of(self);
  if (extra == nullptr) return least_poll_pause_ns;
  const bool goes_on = now <= extra->fruitless_until_ns + most_poll_pause_ns;  // else another wait begins
  if (!goes_on) extra->fruitless_since_ns = now;
  const std::uint64_t pause = poll_pause_ns(now - extra->fruitless_since_ns);
  extra->fruitless_until_ns = now + pause;
  return pause;
}

}  // namespace

status yield_or_wait(std::uint64_t deadline_ns) {
  if (!may_block()) return status::cannot_block;
  worker* const w = local::current_worker();
  const std::uint64_t now = now_ns();
  const std::uint64_t left = deadline_ns > now ? deadline_ns - now : 0;
  if (w == nullptr) {
    os::sleep_until(os::now_ns() + std::min(left, outside_pause_ns));
  } else if (left == 0 || has_waiting(w)) {
    yield();
  } else {
    return sleep_until(now + std::min(left, next_pause_ns(w->current, now)));
  }
  return left == 0 ? status::timeout : status::ok;
}

status pin(int worker_index) {
  worker* w = local::current_worker();
  unit* self = w != nullptr ? w->current : nullptr;
  if (self == nullptr || self->has(is_tasklet)) return status::cannot_block;
  if (is_in_pinned_scope(self))
    return because(status::busy, nullptr, "the caller is between weft_pinned_begin and weft_pinned_end");
  if (stays_where_it_starts(self))
    return because(status::busy, nullptr, "the caller was made to stay on the worker that started it");
  const bool is_there =
      worker_index == WEFT_ANY_WORKER || (worker_index >= 0 && pin_to(w->rt, static_cast<unsigned>(worker_index)));
  if (!is_there) return because(status::invalid, "worker", "there is no worker %d", static_cast<std::uint64_t>(worker_index));
  self->clear(wants_to_move);  // a wish from before, which this one replaces
  if (self->has(stays_put)) unpin_from(w->rt, self->home_worker);
  self->clear(stays_put);
  if (worker_index == WEFT_ANY_WORKER) return status::ok;
  base::store_relaxed(self->home_worker, static_cast<std::uint16_t>(worker_index));
  self->set(stays_put);
  if (w->index != self->home_worker) sched::yield_away(w, self);
  return status::ok;
}

namespace {

// The running unit, if it may be on another OS thread after a switch.
unit* unit_that_moves(const worker* w) {
  unit* const self = w != nullptr ? w->current : nullptr;
  return self != nullptr && !self->has(is_tasklet) ? self : nullptr;
}

// Where it runs now, unless that worker is about to go: then it is one that takes over its units.
void stay(worker* w, unit* self) {
  if (self->has(stays_put)) return;
  while (!pin_to(w->rt, w->index)) w = sched::yield(w, self);
  base::store_relaxed(self->home_worker, static_cast<std::uint16_t>(w->index));
  self->set(stays_put);
}

void run_where_started(void* argument) {
  worker* const w = local::current_worker();
  unit* const self = w->current;
  stay(w, self);
  details_if_any(self)->function(argument);
}

}  // namespace

status stay_where_started(unit* one) {
  details* const extra = details_of(one);
  if (extra == nullptr) return status::nomem;
  extra->function = one->function;
  one->function = run_where_started;
  return status::ok;
}

status begin_pinned(const void* at) {
  worker* w = local::current_worker();
  unit* const self = unit_that_moves(w);
  if (self == nullptr) return status::ok;
  details* const extra = details_of(self);
  if (extra == nullptr) return status::nomem;
  if (is_in_pinned_scope(self)) {
    extra->pinned_scopes.store(extra->pinned_scopes.load(base::relaxed) + 1, base::relaxed);
    return status::ok;
  }
  if (self->has(wants_to_move)) w = sched::yield_away(w, self);  // a wish from before comes true first
  extra->was_pinned = self->has(stays_put);
  extra->pinned_at = at;
  stay(w, self);
  extra->pinned_scopes.store(1, base::relaxed);
  return status::ok;
}

status end_pinned() {
  const worker* const w = local::current_worker();
  unit* const self = unit_that_moves(w);
  if (self == nullptr) return status::ok;
  if (!is_in_pinned_scope(self)) return status::not_owner;
  details* const extra = details_if_any(self);
  const std::uint32_t others = extra->pinned_scopes.load(base::relaxed) - 1;
  extra->pinned_scopes.store(others, base::relaxed);
  return others != 0 || extra->was_pinned ? status::ok : pin(WEFT_ANY_WORKER);
}

status migrate(unit* one, pool* destination, unsigned worker_index) {
  const unit_state state = one->state.load(base::relaxed);
  if (join_word::has_ended(one)) return because(status::invalid, "thread", "it has ended");
  if (one->has_any(unsigned{is_main} | unsigned{is_adopted}))
    return because(status::not_owner, "thread", "it is what weft_init or weft_worker_adopt made of its caller");
  if (one->has(is_tasklet) && state != unit_state::ready)
    return because(status::not_owner, "thread", "it is a tasklet that has started");
  if (const pool* home = one->home.load(base::relaxed); home != nullptr && home->access == WEFT_POOL_PRIVATE)
    return because(status::not_owner, "thread", "it belongs to a private pool");
  if (is_in_pinned_scope(one)) return because(status::not_owner, "thread", "it is between weft_pinned_begin and weft_pinned_end");
  if (stays_where_it_starts(one)) return because(status::not_owner, "thread", "it was made to stay on the worker that starts it");
  runtime* rt = local::current_runtime();
  if (destination == nullptr && serving_worker(rt, worker_index) == nullptr)
    return because(status::invalid, "worker", "there is no worker %u", worker_index);
  details* extra = details_of(one);
  if (extra == nullptr) return status::nomem;
  extra->destination.store(destination_at(destination, worker_index), base::relaxed);
  // [A60] release: publishes the destination; pairs with [A61]
  one->flags.fetch_or(wants_to_move, base::release);
  return status::ok;
}

}  // namespace weft::sched
