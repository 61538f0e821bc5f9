#include "sched/watch.hpp"

#include "base/list.hpp"
#include "os/fence.hpp"
#include "sched/local.hpp"
#include "sched/pool.hpp"
#include "sched/ready.hpp"
#include "sched/runtime.hpp"
#include "sched/waiter.hpp"

namespace weft::sched {

namespace {

struct watch : base::list_link {
  waiter me{"work in a pool", nullptr};
  pool* const* pools;
  std::size_t count;

  bool has_work() const {
    for (std::size_t index = 0; index < count; ++index) {
      if (ready_units(pools[index]) != 0) return true;
    }
    return false;
  }
  bool watches(const pool* one) const {
    for (std::size_t index = 0; index < count; ++index) {
      if (pools[index] == one) return true;
    }
    return false;
  }
  void enter_pools() const {
    for (std::size_t index = 0; index < count; ++index) pools[index]->watch_count.fetch_add(1, base::relaxed);
  }
  void leave_pools() const {
    // [A101] release: done with the pool; pairs with [A102]
    for (std::size_t index = 0; index < count; ++index) pools[index]->watch_count.fetch_sub(1, base::release);
  }
};

// Inside the lock, as take_watch.
void remove_watch(runtime* rt, watch* one) {
  rt->watches.remove(one);
  one->leave_pools();
}

unit* take_watch(runtime* rt, watch* one) {
  remove_watch(rt, one);
  return take_to_wake(&one->me);
}

// Chained by next.
template <class Predicate>
unit* take_those(runtime* rt, Predicate wanted) {
  const queue::guard hold(rt->watch_lock);
  unit* chain = nullptr;
  watch* one = static_cast<watch*>(rt->watches.front());
  while (one != nullptr) {
    watch* next = static_cast<watch*>(rt->watches.after(one));
    if (unit* who = wanted(one) ? take_watch(rt, one) : nullptr; who != nullptr) {
      who->next = chain;
      chain = who;
    }
    one = next;
  }
  return chain;
}

// Outside the lock: a scheduler that becomes ready in a pool is work for those who watch that pool.
template <class Predicate>
void wake_those(runtime* rt, Predicate wanted) {
  unit* chain = take_those(rt, wanted);
  while (chain != nullptr) {
    unit* one = chain;
    chain = static_cast<unit*>(one->next);
    one->next = nullptr;
    make_ready(local::current_worker(), one, push_reason::woken);
  }
}

}  // namespace

status wait_for_work(pool* const* pools, std::size_t count, std::uint64_t deadline_ns, bool (*is_wanted)(void*), void* argument) {
  if (!may_block()) return status::cannot_block;
  runtime* rt = local::current_runtime();
  if (rt == nullptr) return status::not_initialized;
  watch mine;
  mine.pools = pools;
  mine.count = count;
  mine.me.deadline_ns = deadline_ns;
  rt->watch_lock.lock();
  mine.enter_pools();
  // [I10] heavy fence: watching before the last look; pairs with [I9]
  os::heavy_fence();
  if (mine.has_work() || is_over(rt) || (is_wanted != nullptr && is_wanted(argument))) {
    mine.leave_pools();
    rt->watch_lock.unlock();
    return status::ok;
  }
  rt->watches.push_back(&mine);
  if (wait(&mine.me, &rt->watch_lock) == wait_result::woken) return status::ok;
  const queue::guard hold(rt->watch_lock);
  if (mine.is_linked()) remove_watch(rt, &mine);
  return status::timeout;
}

void tell_watchers(runtime* rt, const pool* changed) {
  wake_those(rt, [changed](const watch* one) { return one->watches(changed); });
}

void tell_all_watchers(runtime* rt) {
  wake_those(rt, [](const watch*) { return true; });
}

}  // namespace weft::sched
