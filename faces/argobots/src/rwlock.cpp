// ABT_rwlock_*: readers go first, as in Argobots: a thread that reads already may come again while
// a writer waits, for which Weft's own lock, first come first served, would make it wait for
// itself. So this is a mutex around the state and a condition variable for each kind of waiter.
#include "faces/common/object.hpp"
#include "handle.hpp"
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

rwlock* rwlock_of(ABT_rwlock handle) { return face::object_of<rwlock>(handle); }

int answer(weft_status result) { return result == WEFT_OK ? ABT_SUCCESS : ABT_ERR_RWLOCK; }

weft_status enter(rwlock* one) { return lock_anywhere(&one->guard); }

void leave(rwlock* one) { static_cast<void>(weft_mutex_unlock(&one->guard)); }

// Inside guard. Readers that were woken and have not come yet do the same when they unlock, or find
// that they were cancelled.
void wake_next(rwlock* one) {
  if (one->is_written) return;
  if (one->waiting_readers != 0) {
    static_cast<void>(weft_cond_broadcast(&one->readers));
  } else if (one->reading == 0) {
    static_cast<void>(weft_cond_signal(&one->writers));
  }
}

// WEFT_ENDED: the caller was cancelled.
weft_status wait_at(rwlock* one, weft_cond* where, weft_thread* self) {
  const weft_status result = weft_cond_wait(where, &one->guard);
  return was_cancelled(self) ? WEFT_ENDED : result;
}

weft_status lock_to_read(rwlock* one, weft_thread* self) {
  weft_status result = enter(one);
  if (result != WEFT_OK) return result;
  ++one->waiting_readers;
  while (result == WEFT_OK && one->is_written) result = wait_at(one, &one->readers, self);
  --one->waiting_readers;
  if (result == WEFT_OK) {
    ++one->reading;
  } else {
    wake_next(one);
  }
  leave(one);
  return result;
}

weft_status lock_to_write(rwlock* one, weft_thread* self) {
  weft_status result = enter(one);
  if (result != WEFT_OK) return result;
  while (result == WEFT_OK && (one->is_written || one->reading != 0)) result = wait_at(one, &one->writers, self);
  if (result == WEFT_OK) {
    one->is_written = true;
  } else {
    wake_next(one);
  }
  leave(one);
  return result;
}

weft_status unlock(rwlock* one) {
  weft_status result = enter(one);
  if (result != WEFT_OK) return result;
  if (one->is_written) {
    one->is_written = false;
  } else if (one->reading != 0) {
    --one->reading;
  } else {
    result = WEFT_NOT_OWNER;
  }
  wake_next(one);
  leave(one);
  return result;
}

int lock(ABT_rwlock handle, weft_status (*how)(rwlock*, weft_thread*)) {
  if (handle == ABT_RWLOCK_NULL) return ABT_ERR_INV_RWLOCK;
  weft_thread* const self = weft_hot_self();
  if (is_tasklet(self)) return ABT_ERR_RWLOCK;
  const named_wait as(ABT_SYNC_EVENT_TYPE_RWLOCK, handle);
  const weft_status result = how(rwlock_of(handle), self);
  if (result == WEFT_ENDED) end_if_cancelled(self);
  return answer(result);
}

}  // namespace

int ABT_rwlock_create(ABT_rwlock* newrwlock) {
  if (newrwlock == nullptr) return ABT_ERR_INV_ARG;
  *newrwlock = reinterpret_cast<ABT_rwlock>(face::make_object<rwlock>(0));
  return *newrwlock != ABT_RWLOCK_NULL ? ABT_SUCCESS : ABT_ERR_MEM;
}

int ABT_rwlock_free(ABT_rwlock* handle) {
  if (handle == nullptr || *handle == ABT_RWLOCK_NULL) return ABT_ERR_INV_RWLOCK;
  face::free_object(rwlock_of(*handle));
  *handle = ABT_RWLOCK_NULL;
  return ABT_SUCCESS;
}

int ABT_rwlock_rdlock(ABT_rwlock handle) { return lock(handle, lock_to_read); }
int ABT_rwlock_wrlock(ABT_rwlock handle) { return lock(handle, lock_to_write); }

int ABT_rwlock_unlock(ABT_rwlock handle) {
  if (handle == ABT_RWLOCK_NULL) return ABT_ERR_INV_RWLOCK;
  const named_wait as(ABT_SYNC_EVENT_TYPE_RWLOCK, handle);
  return answer(unlock(rwlock_of(handle)));
}
