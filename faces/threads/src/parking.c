/* See parking.h. */
#include "parking.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <weft_threads/manage.h>

#include "builtin.h"
#include "caller.h"

static threads_mutex *mutex_of(threads_parking *parking) { return (threads_mutex *)(void *)parking->opaque; }
static threads_cond *cond_of(threads_parking *parking) { return (threads_cond *)(void *)(parking->opaque + 8); }

_Static_assert(sizeof(threads_mutex) + sizeof(threads_cond) <= sizeof(((threads_parking *)NULL)->opaque), "both fit");

static long futex(const uint32_t *word, int operation, uint32_t value) {
  return syscall(SYS_futex, word, operation | FUTEX_PRIVATE_FLAG, value, NULL, NULL, 0);
}

/* Its word: the kernel compares it after the count was raised, and the waker reads the count after
 * it has changed the word: one of the two sees the other (both seq_cst). */
static threads_status wait_outside(threads_parking *parking, const uint32_t *word, uint32_t value) {
  __atomic_fetch_add(&parking->outside, 1, __ATOMIC_SEQ_CST);
  if (__atomic_load_n(word, __ATOMIC_SEQ_CST) == value) futex(word, FUTEX_WAIT, value);
  __atomic_fetch_sub(&parking->outside, 1, __ATOMIC_SEQ_CST);
  return THREADS_OK;
}

threads_status parking_wait(threads_parking *parking, const uint32_t *word, uint32_t value) {
  if (caller_is_outside()) return wait_outside(parking, word, value);
  const threads_component *const now = threads_component_now;
  threads_status status = now->mutex_lock(mutex_of(parking));
  if (status != THREADS_OK) return status;
  if (__atomic_load_n(word, __ATOMIC_SEQ_CST) == value) status = now->cond_wait(cond_of(parking), mutex_of(parking));
  now->mutex_unlock(mutex_of(parking));
  return status;
}

threads_status parking_begin_wake(threads_parking *parking) {
  return threads_is_started() ? threads_component_now->mutex_lock(mutex_of(parking)) : THREADS_OK;
}

void parking_end_wake(threads_parking *parking, const uint32_t *word) {
  if (threads_is_started()) {
    threads_component_now->cond_signal(cond_of(parking));
    threads_component_now->mutex_unlock(mutex_of(parking));
  }
  if (__atomic_load_n(&parking->outside, __ATOMIC_SEQ_CST) != 0) futex(word, FUTEX_WAKE, 1);
}

void parking_destroy(threads_parking *parking) {
  const threads_parking fresh = THREADS_PARKING_INIT;
  if (threads_is_started()) {
    threads_component_now->cond_destroy(cond_of(parking));
    threads_component_now->mutex_destroy(mutex_of(parking));
  }
  *parking = fresh;
}
