#include "sched/pool.hpp"

#include <cstdlib>
#include <new>

#include "os/fence.hpp"
#include "os/heap.hpp"
#include "os/thread.hpp"
#include "sched/details.hpp"
#include "sched/idle.hpp"
#include "sched/local.hpp"
#include "sched/ready.hpp"
#include "sched/runtime.hpp"
#include "sched/watch.hpp"
#include "sched/worker.hpp"

namespace weft::sched {

namespace {

weft_thread* handle(unit* one) { return reinterpret_cast<weft_thread*>(one); }
unit* unit_of(weft_thread* thread) { return reinterpret_cast<unit*>(thread); }

unsigned priority_of(const unit* one) {
  const details* extra = details_if_any(one);
  return extra != nullptr ? extra->priority : 0;
}

base::list<unit>& queue_for(pool* one, const unit* what) {
  return one->queues[one->kind == WEFT_POOL_PRIORITY ? priority_of(what) : 0];
}

// Inside the lock, as the next ones.
void note_entry(pool* one, unit* what) {
  note_pool(what);
  one->ready_count.store(one->ready_count.load(base::relaxed) + 1, base::relaxed);
}

void enqueue(pool* one, base::list<unit>& queue, unit* what) {
  note_entry(one, what);
  queue.push_back(what);
}

void push_built_in(pool* one, unit* what, push_reason reason) {
  if (one->kind != WEFT_POOL_LIFO || reason == push_reason::yielded) return enqueue(one, queue_for(one, what), what);
  note_entry(one, what);
  one->queues[0].push_front(what);
}

unit* dequeue(pool* one, base::list<unit>& queue) {
  unit* what = queue.pop_front();
  if (what == nullptr) return nullptr;
  what->in.store(0, base::relaxed);
  one->ready_count.store(one->ready_count.load(base::relaxed) - 1, base::relaxed);
  return what;
}

[[gnu::noinline]] unit* pop_elaborately(pool* one) {
  const queue::guard hold(one->lock);
  for (base::list<unit>& queue : one->queues) {
    if (unit* what = dequeue(one, queue); what != nullptr) return what;
  }
  return nullptr;
}

unit* pop_built_in(pool* one) {
  if (one->ready_count.load(base::relaxed) == 0) return nullptr;
  if (!one->is_plain_fifo || !one->lock.try_lock()) [[unlikely]]
    return pop_elaborately(one);
  unit* const what = dequeue(one, one->queues[0]);
  one->lock.unlock();
  return what;
}

pool* make(weft_pool_access access, unsigned most) {
  using entry = base::atomic<worker*>;
  static_assert(sizeof(pool) % alignof(entry) == 0);
  void* memory = os::allocate(sizeof(pool) + most * sizeof(entry));
  if (memory == nullptr) return nullptr;
  pool* one = new (memory) pool;
  one->access = access;
  one->is_custom = false;
  one->is_plain_fifo = false;
  one->server_slots = most;
  one->servers = new (one + 1) entry[most];
  return one;
}

// Whether anybody might have to be told of a push: nobody, mostly.
bool has_audience(const pool* one) {
  // [I9] light fence: work before the look for servers and watchers; pairs with [I5] [I8] [I10] [I13]
  base::light_fence();
  return (one->server_count.load(base::relaxed) | one->watch_count.load(base::relaxed)) != 0;
}

// A server that sleeps, or null.
worker* sleeping_server(const pool* one) {
  // [A69] acquire: sees the entries and the workers in them; pairs with [A68]
  const std::uint32_t count = one->server_count.load(base::acquire);
  for (std::uint32_t index = 0; index < count; ++index) {
    worker* w = one->servers[index].load(base::relaxed);
    if (w != nullptr && w->is_asleep.load(base::relaxed) != 0) return w;
  }
  return nullptr;
}

// Who is to be told of a push.
struct audience {
  worker* server;  // asleep; or null
  bool are_watchers;
};

// Inside the lock, or as a pusher: afterwards the pool may go at any time.
audience audience_of(const pool* one) {
  if (!has_audience(one)) return {nullptr, false};
  return {sleeping_server(one), one->watch_count.load(base::relaxed) != 0};
}

void tell(const pool* one, const audience& told) {
  if (told.server != nullptr) wake(told.server);
  if (!told.are_watchers) return;
  if (runtime* rt = local::current_runtime(); rt != nullptr) tell_watchers(rt, one);
}

// A worker's look into the pools that it serves, or into its scheduler, which do not go meanwhile.
class visit {
 public:
  explicit visit(worker* w) : worker_(w) {
    w->is_in_pools.store(true, base::relaxed);
    // [A50] light fence: the visit before the look at the entries, or the scheduler; pairs with [A51]
    base::light_fence();
  }
  // [A52] release: done with the pools; pairs with [A53]
  ~visit() { worker_->is_in_pools.store(false, base::release); }
  visit(const visit&) = delete;
  visit& operator=(const visit&) = delete;

 private:
  worker* worker_;
};

// After the worker's entry of a pool was removed, or its scheduler replaced.
void wait_for_visit(const worker* w) {
  if (w == local::current_worker()) return;
  // [A51] heavy fence: the entry is gone before the look at the visit; pairs with [A50]
  os::heavy_fence();
  // [A53] acquire: the worker is done with the pool; pairs with [A52]
  while (w->is_in_pools.load(base::acquire)) os::yield_cpu();
}

// After the unit can be popped, the pool may go as soon as the lock, or the count of pushers, is left.
audience push_anywhere(pool* one, unit* what, push_reason reason, bool was_blocked) {
  if (!one->is_custom) {
    const queue::guard hold(one->lock);
    push_built_in(one, what, reason);
    if (was_blocked) one->note_back();
    return audience_of(one);
  }
  one->pushers.fetch_add(1, base::relaxed);
  {
    const without_identity callback(local::current_worker());
    one->ops.push(one->state, handle(what), static_cast<weft_push_reason>(reason));
  }
  if (was_blocked) one->note_back();
  const audience told = audience_of(one);
  // [A54] release: done with the pool; pairs with [A55]
  one->pushers.fetch_sub(1, base::release);
  return told;
}

void wait_for_pushers(pool* one) {
  // [A55] acquire: they are done with the pool; pairs with [A54]
  while (one->pushers.load(base::acquire) != 0) os::yield_cpu();
  const queue::guard hold(one->lock);
}

}  // namespace

unit* scheduler::next(worker* w) const {
  const without_identity callback(w);
  return unit_of(ops.next(state, w->index));
}

status create_pool(weft_pool_kind kind, weft_pool_access access, pool** out, unsigned most) {
  pool* one = make(access, most);
  if (one == nullptr) return status::nomem;
  one->kind = kind;
  one->is_plain_fifo = kind == WEFT_POOL_FIFO;
  *out = one;
  return status::ok;
}

status create_custom_pool(const weft_pool_ops& ops, void* state, weft_pool_access access, pool** out) {
  pool* one = make(access, most_servers);
  if (one == nullptr) return status::nomem;
  one->is_custom = true;
  one->ops = ops;
  one->state = state;
  *out = one;
  return status::ok;
}

std::size_t ready_units(const pool* one) {
  if (!one->is_custom) return one->ready_count.load(base::relaxed);
  const without_identity callback(local::current_worker());
  return one->ops.count(one->state);
}

std::size_t total_units(const pool* one) {
  // [A92] acquire: who is not blocked any more is ready, or was; pairs with [A97]
  const std::size_t blocked = one->blocked_count.load(base::acquire);
  return blocked + ready_units(one);
}

status destroy_pool(pool* one) {
  if (one->server_count.load(base::relaxed) != 0) return status::busy;
  if (total_units(one) != 0 || one->watch_count.load(base::relaxed) != 0) return status::busy;
  wait_for_pushers(one);
  if (one->is_custom && one->ops.destroy != nullptr) one->ops.destroy(one->state);
  std::free(one);
  return status::ok;
}

status begin_serving(pool* one, worker* w) {
  const std::uint32_t servers = one->server_count.load(base::relaxed);
  const std::uint32_t pools = w->pool_count.load(base::relaxed);
  if (servers == one->server_slots || pools == most_pools_served) return status::again;
  one->servers[servers].store(w, base::relaxed);
  // [A68] release: publishes the entry; pairs with [A69]
  one->server_count.store(servers + 1, base::release);
  w->pools[pools].store(one, base::relaxed);
  // [A12] release: publishes the entry; pairs with [A13] [A14]
  w->pool_count.store(pools + 1, base::release);
  w->detours.fetch_add(1, base::relaxed);
  return status::ok;
}

status attach_pool(runtime* rt, pool* one, unsigned worker_index) {
  worker* w = serving_worker(rt, worker_index);
  if (w == nullptr) return status::invalid;
  {
    const queue::guard hold(rt->pools_lock);
    if (!w->is_serving.load(base::relaxed)) return status::invalid;  // it has begun to end: see remove_worker
    if (one->access == WEFT_POOL_PRIVATE && one->server_count.load(base::relaxed) != 0) return status::busy;
    if (const status result = begin_serving(one, w); result != status::ok) return result;
  }
  wake(w);
  return status::ok;
}

status stop_serving(pool* one, worker* w) {
  const std::uint32_t pools = w->pool_count.load(base::relaxed);
  for (std::uint32_t index = 0; index < pools; ++index) {
    if (w->pools[index].load(base::relaxed) != one) continue;
    w->pools[index].store(w->pools[pools - 1].load(base::relaxed), base::relaxed);
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

status detach_pool(runtime* rt, pool* one, unsigned worker_index) {
  worker* w = serving_worker(rt, worker_index);
  if (w == nullptr) return status::invalid;
  status result = status::ok;
  {
    const queue::guard hold(rt->pools_lock);
    result = stop_serving(one, w);
  }
  if (result == status::ok) wait_for_visit(w);
  return result;
}

namespace {

// These answer status::ok, so that they can be the last act of what does.
[[gnu::noinline]] status push_elaborately(pool* one, unit* what, push_reason reason, bool was_blocked) {
  tell(one, push_anywhere(one, what, reason, was_blocked));
  return status::ok;
}

[[gnu::noinline]] status unlock_and_tell(pool* one) {
  const audience told = audience_of(one);
  one->lock.unlock();
  tell(one, told);
  return status::ok;
}

}  // namespace

// Into the usual pool in as few instructions as can be.
[[gnu::always_inline]] inline static status push_quickly(pool* one, unit* what, push_reason reason, bool was_blocked) {
  if (!one->is_plain_fifo || !one->lock.try_lock()) [[unlikely]]
    return push_elaborately(one, what, reason, was_blocked);
  enqueue(one, one->queues[0], what);
  if (was_blocked) one->note_back();
  if (has_audience(one)) [[unlikely]]
    return unlock_and_tell(one);
  one->lock.unlock();
  return status::ok;
}

void push_to_pool(pool* one, unit* what, push_reason reason) { static_cast<void>(push_quickly(one, what, reason, false)); }
void return_to_pool(pool* one, unit* what) { static_cast<void>(push_quickly(one, what, push_reason::woken, true)); }
status push_owned(pool* one, unit* what, push_reason reason) {
  set_home(what, one);
  return push_quickly(one, what, reason, false);
}

unit* pop_from_pool(pool* one) {
  if (!one->is_custom) return pop_built_in(one);
  const without_identity callback(local::current_worker());
  return unit_of(one->ops.pop(one->state));
}

namespace {

// Inside the lock: whether the unit lies in this pool. It may have gone to another one since the caller looked, and be on its way back,
// which waits for the lock: so it is in this pool if it was in some pool before it was seen to belong to this one, and still is.
bool is_in(const pool* one, const unit* what) {
  // [A73] acquire: sees whose pool it is; pairs with [A72]
  if (what->in.load(base::acquire) != in_pool) return false;
  // [A75] acquire: sees that it left the pool that it was in; pairs with [A76] [A77]
  if (what->home.load(base::acquire) != one) return false;
  return what->in.load(base::relaxed) == in_pool;
}

bool serves(const worker* w, const pool* one) {
  const std::uint32_t count = w->pool_count.load(base::relaxed);
  for (std::uint32_t index = 0; index < count; ++index) {
    if (w->pools[index].load(base::relaxed) == one) return true;
  }
  return false;
}

}  // namespace

namespace {

// Inside the lock.
void take_out(pool* one, base::list<unit>& queue, unit* what) {
  queue.drop(what);
  what->in.store(0, base::relaxed);
  one->ready_count.store(one->ready_count.load(base::relaxed) - 1, base::relaxed);
}

}  // namespace

bool remove_from_pool(pool* one, unit* what) {
  if (one->is_custom) {
    const without_identity callback(local::current_worker());
    return one->ops.remove != nullptr && one->ops.remove(one->state, handle(what));
  }
  const queue::guard hold(one->lock);
  if (!is_in(one, what)) return false;
  take_out(one, queue_for(one, what), what);
  return true;
}

void walk_pool(pool* one, void (*each)(void* state, unit* what), void* state) {
  if (one->is_custom) return;
  const queue::guard hold(one->lock);
  for (base::list<unit>& queue : one->queues) {
    for (unit* what = queue.front(); what != nullptr; what = queue.after(what)) each(state, what);
  }
}

namespace {

// As remove_from_pool, where it is the usual pool and its lock is free.
[[gnu::always_inline]] inline bool remove_quickly(pool* one, unit* what) {
  if (!one->is_plain_fifo || !one->lock.try_lock()) [[unlikely]]
    return remove_from_pool(one, what);
  const bool is_there = is_in(one, what);
  if (is_there) [[likely]]
    take_out(one, one->queues[0], what);
  one->lock.unlock();
  return is_there;
}

}  // namespace

bool remove_from_one(pool* const* some, std::size_t count, unit* what) {
  pool* const home = what->home.load(base::relaxed);
  if (home == nullptr) return false;
  for (std::size_t index = 0; index < count; ++index) {
    if (some[index] == home) return remove_quickly(home, what);
  }
  return false;
}

bool take_from_pool(worker* w, pool* one, unit* what) {
  const visit here(w);
  return serves(w, one) && remove_from_pool(one, what);
}

namespace {

// Inside pools_lock. Returns the old one, in which the worker may still be.
scheduler* replace_scheduler(worker* w, scheduler* made) {
  // What the old one says was written inside pools_lock, too.
  // [A30] release: publishes the scheduler; pairs with [A31]
  scheduler* old = w->custom.exchange(made, base::release);
  if (made != nullptr && old == nullptr) w->detours.fetch_add(1, base::relaxed);
  if (made == nullptr && old != nullptr) w->detours.fetch_sub(1, base::relaxed);
  return old;
}

}  // namespace

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
  bool is_set = false;
  scheduler* old = made;
  {
    const queue::guard hold(rt->pools_lock);
    is_set = w->is_serving.load(base::relaxed);
    if (is_set) old = replace_scheduler(w, made);
  }
  if (is_set) {
    wait_for_visit(w);
    wake(w);
  }
  std::free(old);
  return is_set ? status::ok : status::invalid;
}

void retire_scheduler(runtime* rt, worker* w) {
  const queue::guard hold(rt->pools_lock);
  std::free(replace_scheduler(w, nullptr));
}

unit* ask_scheduler(worker* w) {
  const visit here(w);
  // [A31] acquire: sees the scheduler; pairs with [A30]
  const scheduler* custom = w->custom.load(base::acquire);
  return custom != nullptr ? custom->next(w) : nullptr;
}

unit* pop_from_pools(worker* w) {
  if (w->pool_count.load(base::relaxed) == 0) return nullptr;
  const visit here(w);
  // [A13] acquire: sees the entries; pairs with [A12]
  const std::uint32_t count = w->pool_count.load(base::acquire);
  for (std::uint32_t index = 0; index < count; ++index) {
    if (unit* what = pop_from_pool(w->pools[index].load(base::relaxed)); what != nullptr) return what;
  }
  return nullptr;
}

bool pools_have_work(worker* w) {
  if (w->pool_count.load(base::relaxed) == 0) return false;
  const visit here(w);
  // [A14] acquire: as [A13]; pairs with [A12]
  const std::uint32_t count = w->pool_count.load(base::acquire);
  for (std::uint32_t index = 0; index < count; ++index) {
    if (ready_units(w->pools[index].load(base::relaxed)) != 0) return true;
  }
  return false;
}

}  // namespace weft::sched
