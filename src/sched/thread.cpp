#include "sched/thread.hpp"

#include <cstdlib>
#include <cstring>
#include <new>

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

[[gnu::always_inline]] inline unit* lay_out(void* memory, unit::function_type function, void* argument, std::uint16_t flags,
                                            std::uintptr_t join, const void* made_at, std::uint16_t in) {
  auto* one = static_cast<unit*>(memory);
  one->function = function;
  one->argument = argument;
  one->join.store(join, base::relaxed);
  one->context.set_maker(made_at);
  one->home.store(nullptr, base::relaxed);
  one->state.store(unit_state::ready, base::relaxed);
  one->in.store(in, base::relaxed);
  one->flags.store(flags, base::relaxed);
  return one;
}

unit* lay_out(void* memory, const creation& how) {
  unit* one = lay_out(memory, how.function, how.argument, how.tasklet ? is_tasklet : is_default,
                      how.detached ? join_word::detached : join_word::open, how.made_at, 0);
  one->next = one->previous = nullptr;
  return one;
}

unit* allocate(worker* w, const creation& how) {
  void* memory = w->units.take();
  return memory != nullptr ? lay_out(memory, how) : nullptr;
}

unit* allocate_outside(runtime* rt, const creation& how) {
  const queue::guard hold(rt->outside_lock);
  void* memory = rt->outside_units.take();
  return memory != nullptr ? lay_out(memory, how) : nullptr;
}

[[gnu::noinline]] void release_outside(unit* one) {
  runtime* rt = local::current_runtime();
  const queue::guard hold(rt->outside_lock);
  rt->outside_units.give(one);
}

// Zeroes the second line and the extension bytes again.
[[gnu::noinline]] void clean(unit* one) {
  free_details(one);
  one->stack = nullptr;
  one->parent = nullptr;
  one->waiting = nullptr;
  one->id.store(0, base::relaxed);
  one->made_at = nullptr;
  one->permit.store(0, base::relaxed);
  one->left_forks = 0;
  one->forker = nullptr;
  const std::size_t extension_bytes = local::current_runtime()->unit_bytes - sizeof(unit);
  if (extension_bytes != 0) std::memset(static_cast<void*>(one + 1), 0, extension_bytes);
}

// Checks and applies what a unit was asked to be. Everything that can fail, fails here.
status apply_stack(runtime* rt, unit* one, const weft_thread_attr& wanted) {
  if (wanted.stack_bytes == 0 && wanted.stack == nullptr) return status::ok;
  if (wanted.stack_bytes < WEFT_STACK_MIN) return status::invalid;
  one->stack = wanted.stack != nullptr ? mem::stack_depot::adopt(wanted.stack, wanted.stack_bytes)
                                       : rt->stack_depot.make_mapping(wanted.stack_bytes);
  if (one->stack == nullptr) return status::nomem;
  one->set(has_own_stack);
  return status::ok;
}

status apply_place(runtime* rt, unit* one, const weft_thread_attr& wanted) {
  one->home.store(reinterpret_cast<pool*>(wanted.pool), base::relaxed);
  if (wanted.worker == WEFT_ANY_WORKER) return status::ok;
  if (wanted.worker < 0 || !pin_to(rt, static_cast<unsigned>(wanted.worker))) return status::invalid;
  one->home_worker = static_cast<std::uint16_t>(wanted.worker);
  one->set(stays_put);
  return status::ok;
}

status apply_details(unit* one, const weft_thread_attr& wanted) {
  if (wanted.priority >= WEFT_POOL_PRIORITIES) return status::invalid;
  if (wanted.name == nullptr && wanted.priority == 0) return status::ok;
  details* extra = details_of(one);
  if (extra == nullptr) return status::nomem;
  extra->priority = wanted.priority;
  if (wanted.name != nullptr) std::strncpy(extra->name, wanted.name, name_bytes - 1);
  return status::ok;
}

status apply(runtime* rt, unit* one, const weft_thread_attr& wanted, bool tasklet) {
  one->clear(is_default);
  if (wanted.keep_fp && !tasklet) one->set(keeps_fp);
  status result = apply_place(rt, one, wanted);
  if (result == status::ok) result = apply_details(one, wanted);
  if (result == status::ok && !tasklet) result = apply_stack(rt, one, wanted);
  return result;
}

void count_created(runtime* rt, worker* w, std::uint64_t count) {
  if (w != nullptr) {
    w->created.store(w->created.load(base::relaxed) + count, base::relaxed);
  } else {
    rt->outside_created.fetch_add(count, base::relaxed);
  }
}

void discard(worker* w, unit* one) {
  if (one->has(has_own_stack)) local::current_runtime()->stack_depot.destroy(one->stack);
  if (one->has(stays_put)) unpin_from(local::current_runtime(), one->home_worker);
  free_unit(w, one);
}

status make(runtime* rt, worker* w, const creation& how, unit** out) {
  unit* one = w != nullptr ? allocate(w, how) : allocate_outside(rt, how);
  if (one == nullptr) return status::nomem;
  if (how.attributes != nullptr) {
    if (const status result = apply(rt, one, *how.attributes, how.tasklet); result != status::ok) {
      discard(w, one);
      return result;
    }
  }
  *out = one;
  return status::ok;
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
  one->set(is_known);
  const std::uint64_t fresh = local::current_runtime()->next_id.fetch_add(1, base::relaxed);
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
  if (has_used_second_line(one)) clean(one);
  one->state.store(unit_state::free, base::relaxed);
  if (w != nullptr) return w->units.give(one);
  release_outside(one);
}

namespace {

[[gnu::noinline]] status create_slowly(unit::function_type function, void* argument, unit_flag kind, unit** out,
                                       const void* made_at) {
  return create({function, argument, nullptr, kind == is_tasklet, false, made_at}, out);
}

[[gnu::noinline]] status wake_for_new(runtime* rt) {
  wake_any(rt);
  return status::ok;
}

}  // namespace

// Every slow case is a tail call, so that this needs no frame.
status create_default(unit::function_type function, void* argument, unit_flag kind, unit** out, const void* made_at) {
  worker* w = local::current_worker();
  if (w == nullptr || w->is_special) [[unlikely]]
    return create_slowly(function, argument, kind, out, made_at);
  if (w->units.is_empty() || !w->lock.try_enter()) [[unlikely]]
    return create_slowly(function, argument, kind, out, made_at);
  unit* one = lay_out(w->units.take_one(), function, argument, kind, join_word::open, made_at, w->ready.number());
  *out = one;
  w->created.store(w->created.load(base::relaxed) + 1, base::relaxed);
  w->ready.push_new(one);
  w->lock.leave();
  if (somebody_must_wake(w->rt)) [[unlikely]]
    return wake_for_new(w->rt);
  return status::ok;
}

status create(const creation& how, unit** out) {
  worker* w = local::current_worker();
  runtime* rt = w != nullptr ? w->rt : local::current_runtime();
  if (rt == nullptr) [[unlikely]]
    return status::not_initialized;
  unit* one = nullptr;
  if (const status result = make(rt, w, how, &one); result != status::ok) [[unlikely]]
    return result;
  count_created(rt, w, 1);
  if (out != nullptr) *out = one;
  if (rt->is_observed) one->set(is_known);  // its join then takes the way on which the sink is told
  note(rt, WEFT_ON_CREATE, one);
  make_ready(w, one, push_reason::created);
  return status::ok;
}

namespace {

// Of a chain that was begun with the unit of number `first`; out has what it had before.
void discard_many(worker* w, base::list_link* chain, unit** out, std::size_t first, std::ptrdiff_t step) {
  for (; chain != nullptr; first += static_cast<std::size_t>(step)) {
    auto* made = static_cast<unit*>(chain);
    chain = made->next;
    if (out != nullptr) out[first] = static_cast<unit*>(made->previous);
    discard(w, made);
  }
}

}  // namespace

unit* make_fork_unit(worker* w, unit::function_type function, void* argument, unit* forker) {
  unit* one = allocate(w, {function, argument, nullptr, false, false, nullptr});
  if (one == nullptr) return nullptr;
  one->flags.store(is_default | is_known | is_fork, base::relaxed);
  one->forker = forker;
  count_created(w->rt, w, 1);
  return one;
}

status create_many(const creation& how, std::size_t stride, std::size_t count, unit** out) {
  worker* w = local::current_worker();
  runtime* rt = w != nullptr ? w->rt : local::current_runtime();
  if (rt == nullptr) return status::not_initialized;
  creation each = how;
  // Pools get them in the order of their numbers; of a worker's queue, which is last in first out, the first one shall run first.
  const bool in_order = how.attributes != nullptr && how.attributes->pool != nullptr;
  base::list_link* chain = nullptr;
  base::list_link** end_of_chain = &chain;
  for (std::size_t index = 0; index < count; ++index) {
    each.argument = static_cast<char*>(how.argument) + index * stride;
    unit* one = nullptr;
    if (const status result = make(rt, w, each, &one); result != status::ok) {
      discard_many(w, chain, out, in_order ? 0 : index - 1, in_order ? 1 : -1);
      return result;
    }
    if (out != nullptr) {
      one->previous = out[index];  // kept for the case that a later one cannot be made
      out[index] = one;
    }
    base::list_link** place = in_order ? end_of_chain : &chain;
    one->next = *place;
    *place = one;
    end_of_chain = &one->next;
  }
  count_created(rt, w, count);
  while (chain != nullptr) {
    auto* one = static_cast<unit*>(chain);
    chain = one->next;
    one->next = one->previous = nullptr;
    if (rt->is_observed) one->set(is_known);
    note(rt, WEFT_ON_CREATE, one);
    make_ready(w, one, push_reason::created);
  }
  return status::ok;
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
  static_cast<void>(wait(&me, nullptr));
  return status::ok;
}

status pin(int worker_index) {
  worker* w = local::current_worker();
  unit* self = w != nullptr ? w->current : nullptr;
  if (self == nullptr || self->has(is_tasklet)) return status::cannot_block;
  if (self->has(is_main)) return worker_index == 0 ? status::ok : status::not_owner;
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
