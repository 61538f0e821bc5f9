#include "sched/pool.hpp"

#include <cstdlib>
#include <new>

#include "os/heap.hpp"
#include "sched/details.hpp"
#include "sched/idle.hpp"
#include "sched/local.hpp"
#include "sched/nested.hpp"
#include "sched/ready.hpp"
#include "sched/runtime.hpp"
#include "sched/worker.hpp"

namespace weft::sched {

namespace {

weft_thread* handle(unit* one) { return reinterpret_cast<weft_thread*>(one); }
unit* unit_of(weft_thread* thread) { return reinterpret_cast<unit*>(thread); }

unsigned priority_of(const unit* one) { return one->extra != nullptr ? one->extra->priority : 0; }

base::list<unit>& queue_for(pool* one, const unit* what) {
  return one->queues[one->kind == WEFT_POOL_PRIORITY ? priority_of(what) : 0];
}

void push_built_in(pool* one, unit* what, push_reason reason) {
  const queue::guard hold(one->lock);
  base::list<unit>& queue = queue_for(one, what);
  what->in.store(in_pool, base::relaxed);
  if (one->kind == WEFT_POOL_LIFO && reason != push_reason::yielded) {
    queue.push_front(what);
  } else {
    queue.push_back(what);
  }
  one->ready_count.store(one->ready_count.load(base::relaxed) + 1, base::relaxed);
}

unit* pop_built_in(pool* one) {
  if (one->ready_count.load(base::relaxed) == 0) return nullptr;
  const queue::guard hold(one->lock);
  for (base::list<unit>& queue : one->queues) {
    unit* what = queue.pop_front();
    if (what == nullptr) continue;
    what->in.store(0, base::relaxed);
    one->ready_count.store(one->ready_count.load(base::relaxed) - 1, base::relaxed);
    return what;
  }
  return nullptr;
}

pool* make(weft_pool_access access) {
  void* memory = os::allocate(sizeof(pool));
  if (memory == nullptr) return nullptr;
  pool* one = new (memory) pool;
  one->access = access;
  one->is_custom = false;
  return one;
}

void wake_server(pool* one) {
  // [I9] light fence: as [I6]; pairs with [I5] [I8]
  base::light_fence();
  const std::uint32_t count = one->server_count.load(base::relaxed);
  for (std::uint32_t index = 0; index < count; ++index) {
    worker* w = one->servers[index].load(base::relaxed);
    if (w == nullptr || w->is_asleep.load(base::relaxed) == 0) continue;
    return wake(w);
  }
}

}  // namespace

unit* scheduler::next(worker* w) const { return unit_of(ops.next(state, w->index)); }

status create_pool(weft_pool_kind kind, weft_pool_access access, pool** out) {
  pool* one = make(access);
  if (one == nullptr) return status::nomem;
  one->kind = kind;
  *out = one;
  return status::ok;
}

status create_custom_pool(const weft_pool_ops& ops, void* state, weft_pool_access access, pool** out) {
  pool* one = make(access);
  if (one == nullptr) return status::nomem;
  one->is_custom = true;
  one->ops = ops;
  one->state = state;
  *out = one;
  return status::ok;
}

std::size_t ready_units(const pool* one) {
  return one->is_custom ? one->ops.count(one->state) : one->ready_count.load(base::relaxed);
}

status destroy_pool(pool* one) {
  if (one->server_count.load(base::relaxed) != 0) return status::busy;
  if (ready_units(one) != 0 || one->blocked_count.load(base::relaxed) != 0) return status::busy;
  if (one->is_custom && one->ops.destroy != nullptr) one->ops.destroy(one->state);
  std::free(one);
  return status::ok;
}

status attach_pool(runtime* rt, pool* one, unsigned worker_index) {
  worker* w = serving_worker(rt, worker_index);
  if (w == nullptr) return status::invalid;
  {
    const queue::guard hold(rt->pools_lock);
    const std::uint32_t servers = one->server_count.load(base::relaxed);
    const std::uint32_t pools = w->pool_count.load(base::relaxed);
    if (one->access == WEFT_POOL_PRIVATE && servers != 0) return status::busy;
    if (servers == most_servers || pools == most_pools_served) return status::again;
    one->servers[servers].store(w, base::relaxed);
    one->server_count.store(servers + 1, base::relaxed);
    w->pools[pools] = one;
    // [A12] release: publishes the entry; pairs with [A13] [A14]
    w->pool_count.store(pools + 1, base::release);
    w->detours.fetch_add(1, base::relaxed);
  }
  wake(w);
  return status::ok;
}

status detach_pool(runtime* rt, pool* one, unsigned worker_index) {
  worker* w = serving_worker(rt, worker_index);
  if (w == nullptr) return status::invalid;
  const queue::guard hold(rt->pools_lock);
  const std::uint32_t pools = w->pool_count.load(base::relaxed);
  for (std::uint32_t index = 0; index < pools; ++index) {
    if (w->pools[index] != one) continue;
    w->pools[index] = w->pools[pools - 1];
    w->pool_count.store(pools - 1, base::relaxed);
    w->detours.fetch_sub(1, base::relaxed);
    const std::uint32_t servers = one->server_count.load(base::relaxed);
    for (std::uint32_t server = 0; server < servers; ++server) {
      if (one->servers[server].load(base::relaxed) != w) continue;
      one->servers[server].store(one->servers[servers - 1].load(base::relaxed), base::relaxed);
      one->server_count.store(servers - 1, base::relaxed);
      break;
    }
    return status::ok;
  }
  return status::invalid;
}

void push_to_pool(pool* one, unit* what, push_reason reason) {
  if (reason == push_reason::woken) one->note_back();
  if (one->is_custom) {
    one->ops.push(one->state, handle(what), static_cast<weft_push_reason>(reason));
  } else {
    push_built_in(one, what, reason);
  }
  wake_server(one);
  if (runtime* rt = local::current_runtime(); rt != nullptr) tell_watchers(rt, one);
}

unit* pop_from_pool(pool* one) { return one->is_custom ? unit_of(one->ops.pop(one->state)) : pop_built_in(one); }

bool remove_from_pool(pool* one, unit* what) {
  if (one->is_custom) return one->ops.remove != nullptr && one->ops.remove(one->state, handle(what));
  const queue::guard hold(one->lock);
  if (what->in.load(base::relaxed) != in_pool) return false;
  queue_for(one, what).remove(what);
  what->in.store(0, base::relaxed);
  one->ready_count.store(one->ready_count.load(base::relaxed) - 1, base::relaxed);
  return true;
}

status set_scheduler(runtime* rt, unsigned worker_index, const weft_scheduler_ops* ops, void* state) {
  worker* w = serving_worker(rt, worker_index);
  if (w == nullptr) return status::invalid;
  scheduler* made = nullptr;
  if (ops != nullptr) {
    made = static_cast<scheduler*>(os::allocate(sizeof(scheduler)));
    if (made == nullptr) return status::nomem;
    made->ops = *ops;
    made->state = state;
  }
  {
    const queue::guard hold(rt->pools_lock);
    // [A30] acq_rel: publishes the scheduler; pairs with [A31]
    scheduler* old = w->custom.exchange(made, base::acq_rel);
    if (old != nullptr) {
      old->replaced = rt->replaced_schedulers;
      rt->replaced_schedulers = old;
    }
    if (made != nullptr && old == nullptr) w->detours.fetch_add(1, base::relaxed);
    if (made == nullptr && old != nullptr) w->detours.fetch_sub(1, base::relaxed);
  }
  wake(w);
  return status::ok;
}

bool serves(const worker* w, const pool* one) {
  const std::uint32_t count = w->pool_count.load(base::relaxed);
  for (std::uint32_t index = 0; index < count; ++index) {
    if (w->pools[index] == one) return true;
  }
  return false;
}

unit* pop_from_pools(worker* w) {
  // [A13] acquire: sees the entries; pairs with [A12]
  const std::uint32_t count = w->pool_count.load(base::acquire);
  for (std::uint32_t index = 0; index < count; ++index) {
    if (unit* what = pop_from_pool(w->pools[index]); what != nullptr) return what;
  }
  return nullptr;
}

bool pools_have_work(worker* w) {
  // [A14] acquire: as [A13]; pairs with [A12]
  const std::uint32_t count = w->pool_count.load(base::acquire);
  for (std::uint32_t index = 0; index < count; ++index) {
    if (ready_units(w->pools[index]) != 0) return true;
  }
  return false;
}

}  // namespace weft::sched
