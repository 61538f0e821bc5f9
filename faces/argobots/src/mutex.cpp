// ABT_mutex_*: Weft's mutexes. One that no caller waits for is locked and unlocked without a look
// at the caller; an unlock wakes one waiter. The priorities of _low, _high, _se and _de change
// nothing, as in Argobots.
#include "mutex.hpp"

#include "faces/common/object.hpp"
#include "tool.hpp"
#include "waiting.hpp"

namespace {

using namespace weft::abt;

int answer(weft_status result) {
  switch (result) {
    case WEFT_OK: return ABT_SUCCESS;
    case WEFT_BUSY: return ABT_ERR_MUTEX_LOCKED;
    default:  // not the caller's to unlock; held by the caller already (builds with checks); held too often
      return ABT_ERR_MUTEX;
  }
}

int create(bool is_recursive, ABT_mutex* out) {
  if (out == nullptr) return ABT_ERR_INV_ARG;
  *out = ABT_MUTEX_NULL;
  mutex* const made = face::make_object<mutex>(0);
  if (made == nullptr) return ABT_ERR_MEM;
  const weft_mutex plain = WEFT_MUTEX_UNFAIR_INIT;
  const weft_mutex recursive = WEFT_MUTEX_RECURSIVE_UNFAIR_INIT;
  made->lock = is_recursive ? recursive : plain;
  made->is_recursive = is_recursive;
  *out = reinterpret_cast<ABT_mutex>(made);
  return ABT_SUCCESS;
}

int wait_for(ABT_mutex handle) {
  const named_wait as(ABT_SYNC_EVENT_TYPE_MUTEX, handle);
  weft_mutex* const lock = &mutex_of(handle)->lock;
  weft_thread* const self = weft_self();
  const weft_status result = lock_anywhere(lock);
  if (result == WEFT_OK && was_cancelled(self)) static_cast<void>(weft_mutex_unlock(lock));
  end_if_cancelled(self);
  return answer(result);
}

inline int lock(ABT_mutex handle) {
  if (handle == ABT_MUTEX_NULL) return ABT_ERR_INV_MUTEX;
  if (weft_mutex_try_lock(&mutex_of(handle)->lock) == WEFT_OK) [[likely]]
    return ABT_SUCCESS;
  return wait_for(handle);
}

inline int unlock(ABT_mutex handle) {
  if (handle == ABT_MUTEX_NULL) return ABT_ERR_INV_MUTEX;
  const weft_status result = weft_mutex_unlock(&mutex_of(handle)->lock);
  if (result == WEFT_OK) [[likely]]
    return ABT_SUCCESS;
  return answer(result);
}

}  // namespace

int ABT_mutex_create(ABT_mutex* newmutex) { return create(false, newmutex); }

int ABT_mutex_create_with_attr(ABT_mutex_attr attr, ABT_mutex* newmutex) {
  return create(attr != ABT_MUTEX_ATTR_NULL && mutex_attr_of(attr)->is_recursive, newmutex);
}

int ABT_mutex_free(ABT_mutex* handle) {
  if (handle == nullptr || *handle == ABT_MUTEX_NULL) return ABT_ERR_INV_MUTEX;
  face::free_object(mutex_of(*handle));
  *handle = ABT_MUTEX_NULL;
  return ABT_SUCCESS;
}

int ABT_mutex_lock(ABT_mutex handle) { return lock(handle); }
int ABT_mutex_lock_low(ABT_mutex handle) { return lock(handle); }
int ABT_mutex_lock_high(ABT_mutex handle) { return lock(handle); }

int ABT_mutex_trylock(ABT_mutex handle) {
  if (handle == ABT_MUTEX_NULL) return ABT_ERR_INV_MUTEX;
  return answer(weft_mutex_try_lock(&mutex_of(handle)->lock));
}

// The caller keeps its stream for as long as others hold a lock that they mean to keep shortly, and
// then waits as in ABT_mutex_lock.
int ABT_mutex_spinlock(ABT_mutex handle) {
  if (handle == ABT_MUTEX_NULL) return ABT_ERR_INV_MUTEX;
  const weft_status result = try_for_a_while(&mutex_of(handle)->lock);
  return result == WEFT_BUSY ? wait_for(handle) : answer(result);
}

int ABT_mutex_unlock(ABT_mutex handle) { return unlock(handle); }
int ABT_mutex_unlock_se(ABT_mutex handle) { return unlock(handle); }
int ABT_mutex_unlock_de(ABT_mutex handle) { return unlock(handle); }

int ABT_mutex_equal(ABT_mutex mutex1, ABT_mutex mutex2, ABT_bool* result) {
  if (result == nullptr) return ABT_ERR_INV_ARG;
  *result = mutex1 == mutex2 ? ABT_TRUE : ABT_FALSE;
  return ABT_SUCCESS;
}

int ABT_mutex_get_attr(ABT_mutex handle, ABT_mutex_attr* attr) {
  if (handle == ABT_MUTEX_NULL) return ABT_ERR_INV_MUTEX;
  if (attr == nullptr) return ABT_ERR_INV_ARG;
  mutex_attr* const copy = face::make_object<mutex_attr>(0);
  if (copy == nullptr) return ABT_ERR_MEM;
  copy->is_recursive = mutex_of(handle)->is_recursive != 0;
  *attr = handle_of(copy);
  return ABT_SUCCESS;
}
