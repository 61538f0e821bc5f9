// See wait_for_work.hpp. A wait announces itself to its pools before it looks at them for the last
// time, and a push looks for announcements after it has pushed: [I9] and [I10] of protocol I.
#include "place/wait_for_work.hpp"

#include "run/next.hpp"
#include "run/ready.hpp"
#include "run/resume.hpp"
#include "run/wait.hpp"
#include "run/waiting_units.hpp"
#include "unit/pool_record.hpp"
#include "unit/waiter.hpp"
#include "worker/hooks.hpp"
#include "worker/local.hpp"
#include "worker/runtime.hpp"
#include "worker/worker.hpp"

#include "arch/cpu.hpp"
#include "base/list.hpp"
#include "os/clock.hpp"
#include "os/fence.hpp"

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

// Outside the lock: a scheduler that becomes ready in a pool is work for those that watch that
// pool.
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

// Whether a worker that waits may spin, as it does when it is idle, and has nothing else to run.
bool may_spin(const runtime* rt, worker* w) {
  if (w == nullptr || rt->turns != nullptr || rt->settings.wait_policy == WEFT_WAIT_PASSIVE) return false;
  return rt->worker_count.load(base::relaxed) <= rt->cpu_count && !has_mail(w) && !has_ready(w);
}

// To watch pools takes a heavy fence, and to be woken a call of the system: what comes within the
// time for which idle workers spin is found by looking.
template <class Predicate>
bool comes_soon(const runtime* rt, std::uint64_t deadline_ns, Predicate is_there) {
  constexpr int looks_a_time = 32;
  const std::uint64_t spun_out_ns = os::now_ns() + rt->settings.spin_ns;
  const std::uint64_t end_ns = spun_out_ns < deadline_ns ? spun_out_ns : deadline_ns;
  do {
    for (int look = 0; look < looks_a_time; ++look) {
      if (is_there()) return true;
      arch::pause();
    }
  } while (os::now_ns() < end_ns);
  return false;
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
  const auto need_not_wait = [&] { return mine.has_work() || is_over(rt) || (is_wanted != nullptr && is_wanted(argument)); };
  if (may_spin(rt, local::current_worker()) && comes_soon(rt, deadline_ns, need_not_wait)) return status::ok;
  rt->watch_lock.lock();
  mine.enter_pools();
  // [I10] heavy fence: watching before the last look; pairs with [I9]
  os::heavy_fence();
  if (need_not_wait()) {
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
