// ABT_rwlock_*: readers go first, as in Argobots: who reads already may come again while a writer waits, for which Weft's own lock, first come
// first served, would make it wait for itself. So this is a mutex around the state and a condition variable for each kind of waiter.
#include "object.hpp"
#include "tool.hpp"
#include "waiting.hpp"

namespace {

using namespace weft::abt;

struct rwlock {
  weft_mutex guard = WEFT_MUTEX_UNFAIR_INIT;
  // inside guard
  weft_cond readers;
  weft_cond writers;
  std::uint32_t waiting_readers;
  std::uint32_t reading;
  bool is_written;
};

rwlock* rwlock_of(ABT_rwlock handle) { return reinterpret_cast<rwlock*>(handle); }

int answer(weft_status result) { return result == WEFT_OK ? ABT_SUCCESS : ABT_ERR_RWLOCK; }

weft_status enter(rwlock* one) { return lock_anywhere(&one->guard); }

int leave(rwlock* one, weft_status result) {
  static_cast<void>(weft_mutex_unlock(&one->guard));
  return answer(result);
}

int lock_to_read(rwlock* one) {
  weft_status result = enter(one);
  if (result != WEFT_OK) return answer(result);
  ++one->waiting_readers;
  while (result == WEFT_OK && one->is_written) {
    result = weft_cond_wait(&one->readers, &one->guard);
  }
  --one->waiting_readers;
  if (result == WEFT_OK) ++one->reading;
  return leave(one, result);
}

int lock_to_write(rwlock* one) {
  weft_status result = enter(one);
  if (result != WEFT_OK) return answer(result);
  while (result == WEFT_OK && (one->is_written || one->reading != 0)) {
    result = weft_cond_wait(&one->writers, &one->guard);
  }
  if (result == WEFT_OK) one->is_written = true;
  return leave(one, result);
}

int unlock(rwlock* one) {
  const weft_status result = enter(one);
  if (result != WEFT_OK) return answer(result);
  if (!one->is_written && one->reading == 0) return leave(one, WEFT_NOT_OWNER);
  if (one->is_written) {
    one->is_written = false;
  } else {
    --one->reading;
  }
  // Readers that were woken and have not come yet will unlock in their turn, and the last of them wakes a writer.
  if (one->waiting_readers != 0) {
    static_cast<void>(weft_cond_broadcast(&one->readers));
  } else if (one->reading == 0) {
    static_cast<void>(weft_cond_signal(&one->writers));
  }
  return leave(one, WEFT_OK);
}

}  // namespace

int ABT_rwlock_create(ABT_rwlock* newrwlock) {
  if (newrwlock == nullptr) return ABT_ERR_INV_ARG;
  *newrwlock = reinterpret_cast<ABT_rwlock>(make_object<rwlock>(0));
  return *newrwlock != ABT_RWLOCK_NULL ? ABT_SUCCESS : ABT_ERR_MEM;
}

int ABT_rwlock_free(ABT_rwlock* handle) {
  if (handle == nullptr || *handle == ABT_RWLOCK_NULL) return ABT_ERR_INV_RWLOCK;
  free_object(rwlock_of(*handle));
  *handle = ABT_RWLOCK_NULL;
  return ABT_SUCCESS;
}

int ABT_rwlock_rdlock(ABT_rwlock handle) {
  if (handle == ABT_RWLOCK_NULL) return ABT_ERR_INV_RWLOCK;
  if (is_tasklet_calling()) return ABT_ERR_RWLOCK;
  tell_wait(ABT_SYNC_EVENT_TYPE_RWLOCK, handle);
  return lock_to_read(rwlock_of(handle));
}

int ABT_rwlock_wrlock(ABT_rwlock handle) {
  if (handle == ABT_RWLOCK_NULL) return ABT_ERR_INV_RWLOCK;
  if (is_tasklet_calling()) return ABT_ERR_RWLOCK;
  tell_wait(ABT_SYNC_EVENT_TYPE_RWLOCK, handle);
  return lock_to_write(rwlock_of(handle));
}

int ABT_rwlock_unlock(ABT_rwlock handle) {
  if (handle == ABT_RWLOCK_NULL) return ABT_ERR_INV_RWLOCK;
  return unlock(rwlock_of(handle));
}
