// See serving.hpp. A worker looks into its pools, or into its scheduler, without a lock; a caller
// that takes one away waits until that look is over (protocol A, docs/protocols/A.md).
#include "place/serving.hpp"

#include <cstdlib>

#include "os/fence.hpp"
#include "os/heap.hpp"
#include "os/thread.hpp"
#include "place/pool.hpp"
#include "run/next.hpp"
#include "run/wake.hpp"
#include "unit/pool_record.hpp"
#include "worker/failure.hpp"
#include "worker/hooks.hpp"
#include "worker/local.hpp"
#include "worker/runtime.hpp"
#include "worker/worker.hpp"

namespace weft::sched {

// The frameless scheduler of a worker.
struct scheduler {
  weft_scheduler_ops ops;
  void* state;
};

namespace {

// A worker's look into the pools that it serves, or into its scheduler, which do not go meanwhile.
class visit {
 public:
  explicit visit(worker* w) : worker_(w) {
    w->is_visiting.store(true, base::relaxed);
    // [A50] light fence: the visit before the look at the entries, or the scheduler; pairs with
    // [A51]
    base::light_fence();
  }
  // [A52] release: done with the pools, or the scheduler; pairs with [A53]
  ~visit() { worker_->is_visiting.store(false, base::release); }
  visit(const visit&) = delete;
  visit& operator=(const visit&) = delete;

 private:
  worker* worker_;
};

// After the worker's entry of a pool was removed, or its scheduler replaced.
void wait_for_visit(const worker* w) {
  if (w == local::current_worker()) return;
  // [A51] heavy fence: the entry, or the scheduler, is gone before the look at the visit; pairs
  // with [A50]
  os::heavy_fence();
  // [A53] acquire: the worker is done with the pool, or the scheduler; pairs with [A52]
  while (w->is_visiting.load(base::acquire)) os::yield_cpu();
}

}  // namespace

// ---- pools --------------------------------------------------------------------------------------

status begin_serving(pool* one, worker* w) {
  const std::uint32_t servers = one->server_count.load(base::relaxed);
  const std::uint32_t pools = w->pool_count.load(base::relaxed);
  if (!one->servers.make_room(servers) || !w->pools.make_room(pools)) return status::nomem;
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

namespace {

void forget_server(pool* one, const worker* w) {
  const std::uint32_t servers = one->server_count.load(base::relaxed);
  for (std::uint32_t index = 0; index < servers; ++index) {
    if (one->servers[index].load(base::relaxed) != w) continue;
    one->servers[index].store(one->servers[servers - 1].load(base::relaxed), base::relaxed);
    one->server_count.fetch_sub(1, base::relaxed);  // no store: readers of it see what [A68] published
    return;
  }
}

}  // namespace

status stop_serving(pool* one, worker* w) {
  const std::uint32_t pools = w->pool_count.load(base::relaxed);
  for (std::uint32_t index = 0; index < pools; ++index) {
    if (w->pools[index].load(base::relaxed) != one) continue;
    w->pools[index].store(w->pools[pools - 1].load(base::relaxed), base::relaxed);
    w->pool_count.fetch_sub(1, base::relaxed);  // as in forget_server, of [A12]
    w->detours.fetch_sub(1, base::relaxed);
    forget_server(one, w);
    return status::ok;
  }
  return because(status::invalid, "worker", "worker %u does not serve the pool", w->index);
}

status detach_pool(runtime* rt, pool* one, unsigned worker_index) {
  worker* w = serving_worker(rt, worker_index);
  if (w == nullptr) return because(status::invalid, "worker", "there is no worker %u, or it is being removed", worker_index);
  status result = status::ok;
  {
    const queue::guard hold(rt->pools_lock);
    // They keep the pool: with its last server it may go at any time.
    const bool has_fellows = one->server_count.load(base::relaxed) > 1;
    result = stop_serving(one, w);
    if (result == status::ok && has_fellows) wake_server_for_rest(one);
  }
  if (result == status::ok) wait_for_visit(w);
  return result;
}

// Inside pools_lock, where a pool that is served cannot be destroyed.
std::size_t ready_in_own_pools(const worker* w) {
  std::size_t count = 0;
  const queue::guard hold(w->rt->pools_lock);
  for (std::uint32_t index = 0; index < w->pool_count.load(base::relaxed); ++index) {
    const pool* one = w->pools[index].load(base::relaxed);
    if (!one->is_custom && one->server_count.load(base::relaxed) == 1) count += ready_units(one);
  }
  return count;
}

namespace {

// Mostly 0. After a look around the next pool in turn, so that no pool keeps its units waiting for
// ever behind those of the pools before it.
std::uint32_t begin_of_look(worker* w, std::uint32_t count) {
  if (!w->owes_pools) [[likely]]
    return 0;
  w->owes_pools = false;
  w->first_pool = w->first_pool + 1 < count ? w->first_pool + 1 : 0;
  return w->first_pool;
}

}  // namespace

unit* pop_from_pools(worker* w) {
  if (w->pool_count.load(base::relaxed) == 0) return nullptr;
  const visit here(w);
  // [A13] acquire: sees the entries; pairs with [A12]
  const std::uint32_t count = w->pool_count.load(base::acquire);
  const std::uint32_t first = begin_of_look(w, count);
  for (std::uint32_t step = 0; step < count; ++step) {
    const std::uint32_t index = first + step < count ? first + step : first + step - count;
    if (unit* what = pop_to_serve(w->pools[index].load(base::relaxed)); what != nullptr) return what;
  }
  return nullptr;
}

namespace {

// Whether `test` holds of one of the pools that w serves; of those behind it, it is not asked.
template <class Test>
bool is_any_pool(worker* w, Test test) {
  if (w->pool_count.load(base::relaxed) == 0) return false;
  const visit here(w);
  // [A14] acquire: as [A13]; pairs with [A12]
  const std::uint32_t count = w->pool_count.load(base::acquire);
  for (std::uint32_t index = 0; index < count; ++index) {
    if (test(w->pools[index].load(base::relaxed))) return true;
  }
  return false;
}

}  // namespace

bool take_from_pool(worker* w, pool* one, unit* what) {
  bool is_taken = false;
  is_any_pool(w, [&](pool* each) {
    if (each != one) return false;
    is_taken = remove_from_pool(one, what);
    return true;
  });
  return is_taken;
}

bool take_next_from_pools(worker* w, const pool* home, unit* what) {
  bool is_taken = false;
  if (w->owes_pools) return false;
  is_any_pool(w, [&](pool* each) {
    if (each != home) return ready_units(each) != 0;
    is_taken = remove_if_next(each, what);
    return true;
  });
  return is_taken;
}

bool pools_have_work(worker* w) {
  return is_any_pool(w, [](const pool* one) { return ready_units(one) != 0; });
}

void wake_fellow_servers(worker* w) {
  is_any_pool(w, [](pool* one) {
    if (one->server_count.load(base::relaxed) > 1) wake_server_for_rest(one);
    return false;
  });
}

// ---- a scheduler of its own ---------------------------------------------------------------------

namespace {

// With a scheduler in worker::custom: the worker has not asked it yet, and must not sleep before it
// has.
constexpr std::uintptr_t is_new = 1;

std::uintptr_t word_of_new(scheduler* made) { return made != nullptr ? reinterpret_cast<std::uintptr_t>(made) | is_new : 0; }
scheduler* scheduler_in(std::uintptr_t word) { return reinterpret_cast<scheduler*>(word & ~is_new); }

// Inside pools_lock. Returns the old one, in which the worker may still be.
scheduler* replace_scheduler(worker* w, scheduler* made) {
  // What the old one says was written inside pools_lock, too.
  // [A30] release: publishes the scheduler; pairs with [A31]
  scheduler* old = scheduler_in(w->custom.exchange(word_of_new(made), base::release));
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

void free_scheduler(worker* w) { std::free(scheduler_in(w->custom.load(base::relaxed))); }

bool has_new_scheduler(const worker* w) { return (w->custom.load(base::relaxed) & is_new) != 0; }

unit* ask_scheduler(worker* w) {
  const visit here(w);
  // [A31] acquire: sees the scheduler; pairs with [A30]
  std::uintptr_t word = w->custom.load(base::acquire);
  const scheduler* const custom = scheduler_in(word);
  if (custom == nullptr) return nullptr;
  // Where that fails another one was set, which is new itself.
  if ((word & is_new) != 0) w->custom.compare_exchange_strong(word, word & ~is_new, base::relaxed, base::relaxed);
  const without_identity callback(w);
  return reinterpret_cast<unit*>(custom->ops.next(custom->state, w->index));
}

}  // namespace weft::sched
