// ABT_cond_*: Weft's condition variables. All that wait on one do so with one mutex, the first that was used with it. Waits with a
// deadline sleep until then.
#include <atomic>

#include "mutex.hpp"
#include "object.hpp"
#include "waiting.hpp"

namespace {

using namespace weft::abt;

struct condition {
  weft_cond waiters;
  std::atomic<mutex*> partner;  // null until the first wait
  late_leavers late;
};
static_assert(sizeof(condition) <= sizeof(ABT_cond_memory) && alignof(condition) <= alignof(ABT_cond_memory));

condition* condition_of(ABT_cond handle) { return reinterpret_cast<condition*>(handle); }

bool is_partner(condition* one, mutex* its) {
  mutex* partner = one->partner.load(std::memory_order_relaxed);
  if (partner == nullptr && one->partner.compare_exchange_strong(partner, its, std::memory_order_relaxed)) return true;
  return partner == its;
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
    default:  // the mutex is not locked
      return ABT_ERR_MUTEX;
  }
}

}  // namespace

int ABT_cond_create(ABT_cond* newcond) {
  if (newcond == nullptr) return ABT_ERR_INV_ARG;
  *newcond = reinterpret_cast<ABT_cond>(make_object<condition>(0));
  return *newcond != ABT_COND_NULL ? ABT_SUCCESS : ABT_ERR_MEM;
}

int ABT_cond_free(ABT_cond* cond) {
  if (cond == nullptr || *cond == ABT_COND_NULL) return ABT_ERR_INV_COND;
  condition* const one = condition_of(*cond);
  if (weft_cond_has_waiters(&one->waiters)) return ABT_ERR_COND;
  if (one->late.give_up()) free_object(one);
  *cond = ABT_COND_NULL;
  return ABT_SUCCESS;
}

int ABT_cond_wait(ABT_cond cond, ABT_mutex handle) {
  if (is_tasklet_calling()) return ABT_ERR_COND;
  if (const int problem = check(cond, handle); problem != ABT_SUCCESS) return problem;
  weft_cond* const waiters = &condition_of(cond)->waiters;
  weft_mutex* const lock = &mutex_of(handle)->lock;
  return answer(wait_anywhere([=] { return weft_cond_wait(waiters, lock); }));
}

int ABT_cond_timedwait(ABT_cond cond, ABT_mutex handle, const struct timespec* abstime) {
  if (const int problem = check(cond, handle); problem != ABT_SUCCESS) return problem;
  if (abstime == nullptr) return ABT_ERR_INV_ARG;
  condition* const one = condition_of(cond);
  weft_mutex* const lock = &mutex_of(handle)->lock;
  const std::uint64_t deadline_ns = deadline_at(*abstime);
  one->late.enter();
  const weft_status result = wait_anywhere([=] { return weft_cond_wait_until(&one->waiters, lock, deadline_ns); });
  if (one->late.leave()) free_object(one);
  return answer(result);
}

int ABT_cond_signal(ABT_cond cond) {
  if (cond == ABT_COND_NULL) return ABT_ERR_INV_COND;
  return answer(weft_cond_signal(&condition_of(cond)->waiters));
}

int ABT_cond_broadcast(ABT_cond cond) {
  if (cond == ABT_COND_NULL) return ABT_ERR_INV_COND;
  return answer(weft_cond_broadcast(&condition_of(cond)->waiters));
}
