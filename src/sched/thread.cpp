#include "sched/thread.hpp"

#include <cstdlib>
#include <cstring>

#include "os/clock.hpp"
#include "os/heap.hpp"
#include "os/thread.hpp"
#include "sched/dispatch.hpp"
#include "sched/idle.hpp"
#include "sched/local.hpp"
#include "sched/pool.hpp"
#include "sched/ready.hpp"
#include "sched/runtime.hpp"
#include "sched/turns.hpp"
#include "sched/waiter.hpp"
#include "sched/worker.hpp"

namespace weft::sched {

namespace {

[[gnu::noinline]] void release_outside(unit* one) {
  runtime* rt = local::current_runtime();
  const queue::guard hold(rt->outside_lock);
  rt->outside_units.give(one);
}

[[gnu::noinline]] void clean(const runtime* rt, unit* one) {
  free_details(one);
  clean_lines(rt, one);
}

void wake_joiner(waiter* joiner) {
  if (wake(joiner)) return;
  // [T6] release: this record is not touched any more; pairs with [T7] [P10]
  joiner->word.store(dropped, base::release);
}

}  // namespace

details* details_of(unit* one) {
  details* known = details_if_any(one);
  if (known != nullptr) return known;
  auto* made = static_cast<details*>(os::allocate(sizeof(details)));
  if (made == nullptr) return nullptr;
  one->set(is_known);
  // [A38] acq_rel: publishes them laid out, or sees another's; pairs with [A37] [A38]
  if (one->extra.compare_exchange_strong(known, made, base::acq_rel, base::acquire)) return made;
  std::free(made);
  return known;
}

void free_details(unit* one) {
  details* extra = details_if_any(one);
  if (extra == nullptr) return;
  std::free(extra->keys);
  std::free(extra);
  one->extra.store(nullptr, base::relaxed);
}

std::uint64_t id_of(unit* one) {
  std::uint64_t id = one->id.load(base::relaxed);
  if (id != 0) return id;
  runtime* rt = local::current_runtime();
  if (rt == nullptr) return 0;  // in a child of fork
  one->set(is_known);
  const std::uint64_t fresh = rt->next_id.fetch_add(1, base::relaxed);
  return one->id.compare_exchange_strong(id, fresh, base::relaxed, base::relaxed) ? fresh : id;
}

mem::stack* stack_of(const unit* one) {
  const worker* w = local::current_worker();
  if (w != nullptr && w->current == one) return w->standing;
  return join_word::has_ended(one) ? nullptr : one->stack;
}

void* extension_of(unit* one, std::size_t offset) {
  one->set(is_known);
  return reinterpret_cast<char*>(one) + offset;
}

void free_unit(worker* w, unit* one) {
  if (has_used_second_line(one)) clean(w != nullptr ? w->rt : local::current_runtime(), one);
  one->state.store(unit_state::free, base::relaxed);
  if (w != nullptr) return w->units.give(one);
  release_outside(one);
}

void settle_end(worker* w, unit* one, std::uintptr_t found) {
  if (found == join_word::detached) {
    free_unit(w, one);
  } else if (found != join_word::open && found != join_word::detaching) {
    wake_joiner(reinterpret_cast<waiter*>(found));
  }
  count_finished(w);
  wake_finalizer_if_drained(w);
}

void end(worker* w, unit* one) {
  note(w->rt, WEFT_ON_END, one);
  if (one->has(stays_put)) [[unlikely]]
    unpin_from(w->rt, one->home_worker);
  settle_end(w, one, join_word::end(one));
}

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

status pin(int worker_index) {
  worker* w = local::current_worker();
  unit* self = w != nullptr ? w->current : nullptr;
  if (self == nullptr || self->has(is_tasklet)) return status::cannot_block;
  if (worker_index < WEFT_ANY_WORKER) return status::invalid;
  if (worker_index != WEFT_ANY_WORKER && !pin_to(w->rt, static_cast<unsigned>(worker_index))) return status::invalid;
  self->clear(wants_to_move);  // a wish from before, which this one replaces
  if (self->has(stays_put)) unpin_from(w->rt, self->home_worker);
  self->clear(stays_put);
  if (worker_index == WEFT_ANY_WORKER) return status::ok;
  base::store_relaxed(self->home_worker, static_cast<std::uint16_t>(worker_index));
  self->set(stays_put);
  if (w->index != self->home_worker) sched::yield_away(w, self);
  return status::ok;
}

status migrate(unit* one, pool* destination, unsigned worker_index) {
  const unit_state state = one->state.load(base::relaxed);
  if (join_word::has_ended(one)) return status::invalid;
  if (one->has(is_main) || (one->has(is_tasklet) && state != unit_state::ready)) return status::not_owner;
  if (const pool* home = one->home.load(base::relaxed); home != nullptr && home->access == WEFT_POOL_PRIVATE)
    return status::not_owner;
  runtime* rt = local::current_runtime();
  if (destination == nullptr && serving_worker(rt, worker_index) == nullptr) return status::invalid;
  details* extra = details_of(one);
  if (extra == nullptr) return status::nomem;
  extra->destination.store(destination_at(destination, worker_index), base::relaxed);
  // [A60] release: publishes the destination; pairs with [A61]
  one->flags.fetch_or(wants_to_move, base::release);
  return status::ok;
}

}  // namespace weft::sched
