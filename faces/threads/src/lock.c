/* Locks that work at any time. State 0: free, 1: held, 2: held, and a caller may wait. (As with a
 * futex: U. Drepper, Futexes are tricky, 2004.) */
#include <weft_threads/detail/fail.h>
#include <weft_threads/lock.h>
#include <weft_threads_word/word.h>

#include "caller.h"
#include "parking.h"

enum { is_free, is_held, is_waited_for };

static bool take_free(threads_lock *lock) {
  uint32_t expected = is_free;
  /* acquire: what the last holder wrote; pairs with the release */
  return word_replace(&lock->state, &expected, is_held, __ATOMIC_ACQUIRE);
}

/* A recursive one that the caller holds: once more. */
static bool enter_again(threads_lock *lock, uint64_t caller) {
  if (__atomic_load_n(&lock->owner, __ATOMIC_RELAXED) != caller) return false;
  ++lock->times;
  return true;
}

static void note_owner(threads_lock *lock, uint64_t caller) {
  if (lock->is_recursive == 0) return;
  __atomic_store_n(&lock->owner, caller, __ATOMIC_RELAXED);
  lock->times = 1;
}

threads_status threads_lock_acquire(threads_lock *lock) {
  if (lock == NULL) return threads_fail_on_null("threads_lock_acquire", "lock");
  const uint64_t caller = lock->is_recursive != 0 ? caller_identity() : 0;
  if (caller != 0 && enter_again(lock, caller)) return THREADS_OK;
  if (!take_free(lock)) {
    /* acquire: as above; seq_cst for parking.c */
    while (word_exchange(&lock->state, is_waited_for, __ATOMIC_SEQ_CST) != is_free) {
      const threads_status status = parking_wait(&lock->parking, &lock->state, is_waited_for, PARKING_NO_DEADLINE);
      if (status != THREADS_OK) return threads_fail_as(status, "threads_lock_acquire");
    }
  }
  note_owner(lock, caller);
  return THREADS_OK;
}

threads_status threads_lock_try_acquire(threads_lock *lock) {
  if (lock == NULL) return threads_fail_on_null("threads_lock_try_acquire", "lock");
  const uint64_t caller = lock->is_recursive != 0 ? caller_identity() : 0;
  if (caller != 0 && enter_again(lock, caller)) return THREADS_OK;
  if (!take_free(lock)) return threads_fail_at(THREADS_BUSY, "threads_lock_try_acquire", "lock", "it is held (%p)", lock);
  note_owner(lock, caller);
  return THREADS_OK;
}

static threads_status refuse_release(const threads_lock *lock) {
  return threads_fail_at(THREADS_NOT_OWNER, "threads_lock_release", "lock", "the caller does not hold it (%p)", lock);
}

/* After the word is free, another caller may have it: the parking alone is touched then. */
static threads_status release_wholly(threads_lock *lock) {
  uint32_t expected = is_held;
  const uint64_t owner = lock->owner;
  if (owner != 0) __atomic_store_n(&lock->owner, 0, __ATOMIC_RELAXED);
  /* release: what the holder wrote; pairs with the acquires */
  if (word_replace(&lock->state, &expected, is_free, __ATOMIC_RELEASE)) return THREADS_OK;
  if (expected == is_free) return refuse_release(lock);
  const threads_status status = parking_begin_wake(&lock->parking);
  if (status != THREADS_OK) {
    if (owner != 0) __atomic_store_n(&lock->owner, owner, __ATOMIC_RELAXED);
    return threads_fail_as(status, "threads_lock_release");
  }
  word_store(&lock->state, is_free, __ATOMIC_SEQ_CST);
  parking_end_wake(&lock->parking, &lock->state);
  return THREADS_OK;
}

threads_status threads_lock_release(threads_lock *lock) {
  if (lock == NULL) return threads_fail_on_null("threads_lock_release", "lock");
  if (lock->is_recursive == 0) return release_wholly(lock);
  if (__atomic_load_n(&lock->owner, __ATOMIC_RELAXED) != caller_identity()) return refuse_release(lock);
  if (lock->times > 1) {
    --lock->times;
    return THREADS_OK;
  }
  return release_wholly(lock);
}

threads_status threads_lock_destroy(threads_lock *lock) {
  if (lock == NULL) return threads_fail_on_null("threads_lock_destroy", "lock");
  if (word_load(&lock->state, __ATOMIC_RELAXED) != is_free)
    return threads_fail_at(THREADS_BUSY, "threads_lock_destroy", "lock", "a caller holds it (%p)", lock);
  parking_destroy(&lock->parking);
  return THREADS_OK;
}
