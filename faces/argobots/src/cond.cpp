// ABT_cond_*: Weft's condition variables. All that wait on one do so with one mutex, the first that
// was used with it. Waits with a deadline sleep until then. A tasklet may only wait with a
// deadline; it does so at an event of its own, and is woken before others.

#include <weft_abt/atomic.hpp>

#include "faces/common/object.hpp"
#include "handle.hpp"
#include "mutex.hpp"
#include "tool.hpp"
#include "waiting.hpp"

namespace {

using namespace weft::abt;

struct condition {
  weft_cond waiters;
  atomic<mutex*> partner;  // null until the first wait
  private_waits tasklets;
  late_leavers late;
};
static_assert(sizeof(condition) <= sizeof(ABT_cond_memory) && alignof(condition) <= alignof(ABT_cond_memory));

condition* condition_of(ABT_cond handle) { return face::object_of<condition>(handle); }

bool is_partner(condition* one, mutex* its) {
  mutex* used = one->partner.load(std::memory_order_relaxed);
  if (used == nullptr && one->partner.compare_exchange_strong(used, its, std::memory_order_relaxed)) return true;
  return used == its;
}

int check(ABT_cond cond, ABT_mutex handle) {
  if (cond == ABT_COND_NULL) return ABT_ERR_INV_COND;
  if (handle == ABT_MUTEX_NULL || !is_partner(condition_of(cond), mutex_of(handle))) return ABT_ERR_INV_MUTEX;
  return ABT_SUCCESS;
}

int answer(weft_status result) {
  switch (result) {
    case WEFT_OK: return ABT_SUCCESS;
    case WEFT_TIMEOUT: return ABT_ERR_COND_TIMEDOUT;
    case WEFT_CANNOT_BLOCK: return ABT_ERR_COND;
    default:  // the mutex is not locked
      return ABT_ERR_MUTEX;
  }
}

weft_status wait_in_tasklet(condition* one, weft_mutex* lock, std::uint64_t deadline_ns) {
  private_wait mine{};
  {
    const private_waits::access inside;
    one->tasklets.add(&mine);
  }
  weft_status result = weft_mutex_unlock(lock);
  if (result != WEFT_OK) {
    const private_waits::access inside;
    if (one->tasklets.remove(&mine)) return result;
  }
  result = wait_outside([&] { return wait_until(&one->tasklets, &mine, deadline_ns); });
  const weft_status locked = lock_anywhere(lock);
  return locked == WEFT_OK ? result : locked;
}

private_wait* take(condition* one, bool takes_all) {
  if (one->tasklets.seems_empty()) return nullptr;
  const private_waits::access inside;
  return takes_all ? one->tasklets.take_all() : one->tasklets.take_first();
}

int leave(weft_thread* self, weft_mutex* lock, weft_status result) {
  if (was_cancelled(self)) static_cast<void>(weft_mutex_unlock(lock));
  end_if_cancelled(self);
  return answer(result);
}

}  // namespace

int ABT_cond_create(ABT_cond* newcond) {
  if (newcond == nullptr) return ABT_ERR_INV_ARG;
  *newcond = reinterpret_cast<ABT_cond>(face::make_object<condition>(0));
  return *newcond != ABT_COND_NULL ? ABT_SUCCESS : ABT_ERR_MEM;
}

int ABT_cond_free(ABT_cond* cond) {
  if (cond == nullptr || *cond == ABT_COND_NULL) return ABT_ERR_INV_COND;
  condition* const one = condition_of(*cond);
  if (weft_cond_has_waiters(&one->waiters) || !one->tasklets.seems_empty()) return ABT_ERR_COND;
  if (one->late.give_up()) face::free_object(one);
  *cond = ABT_COND_NULL;
  return ABT_SUCCESS;
}

int ABT_cond_wait(ABT_cond cond, ABT_mutex handle) {
  weft_thread* const self = weft_hot_self();
  if (is_tasklet(self)) return ABT_ERR_COND;
  if (const int problem = check(cond, handle); problem != ABT_SUCCESS) return problem;
  const named_wait as(ABT_SYNC_EVENT_TYPE_COND, cond);
  weft_mutex* const lock = &mutex_of(handle)->lock;
  return leave(self, lock, weft_cond_wait(&condition_of(cond)->waiters, lock));
}

int ABT_cond_timedwait(ABT_cond cond, ABT_mutex handle, const struct timespec* abstime) {
  if (const int problem = check(cond, handle); problem != ABT_SUCCESS) return problem;
  if (abstime == nullptr) return ABT_ERR_INV_ARG;
  condition* const one = condition_of(cond);
  weft_mutex* const lock = &mutex_of(handle)->lock;
  const std::uint64_t deadline_ns = deadline_at(*abstime);
  const named_wait as(ABT_SYNC_EVENT_TYPE_COND, cond);
  weft_thread* const self = weft_hot_self();
  one->late.enter();
  const weft_status result =
      is_tasklet(self) ? wait_in_tasklet(one, lock, deadline_ns) : weft_cond_wait_until(&one->waiters, lock, deadline_ns);
  if (one->late.leave()) face::free_object(one);
  return leave(self, lock, result);
}

int ABT_cond_signal(ABT_cond cond) {
  if (cond == ABT_COND_NULL) return ABT_ERR_INV_COND;
  condition* const one = condition_of(cond);
  private_wait* const tasklet = take(one, false);
  if (tasklet == nullptr) return answer(weft_cond_signal(&one->waiters));
  wake(tasklet);
  return ABT_SUCCESS;
}

int ABT_cond_broadcast(ABT_cond cond) {
  if (cond == ABT_COND_NULL) return ABT_ERR_INV_COND;
  condition* const one = condition_of(cond);
  private_wait* const tasklets = take(one, true);
  static_cast<void>(weft_cond_broadcast(&one->waiters));
  wake(tasklets);
  return ABT_SUCCESS;
}
