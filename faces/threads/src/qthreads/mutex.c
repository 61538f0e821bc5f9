/* Mutexes: Qthreads' own cannot be tried. State 0: free, 1: held, 2: held, and a thread may
 * wait; a waiter empties the word, and an unlock that finds 2 fills it. The word's first state
 * does not matter: a thread that passes it looks at the state again. (As with a futex: U.
 * Drepper, Futexes are tricky, 2004.) */
#include "calls.h"

enum { is_free, is_held, is_waited_for };

static uint64_t *state_of(threads_mutex *mutex) { return &mutex->opaque[0]; }
static aligned_t *word_of(threads_mutex *mutex) { return (aligned_t *)(void *)&mutex->opaque[1]; }

static bool take_free(threads_mutex *mutex) {
  uint64_t expected = is_free;
  /* acquire: what the last holder wrote; pairs with the unlock */
  return __atomic_compare_exchange_n(state_of(mutex), &expected, is_held, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
}

threads_status threads_mutex_try_lock(threads_mutex *mutex) {
  if (mutex == NULL) return threads_fail_on_null("threads_mutex_try_lock", "mutex");
  if (take_free(mutex)) return THREADS_OK;
  return threads_fail_at(THREADS_BUSY, "threads_mutex_try_lock", "mutex", "it is held (%p)", mutex);
}

threads_status threads_mutex_lock(threads_mutex *mutex) {
  if (mutex == NULL) return threads_fail_on_null("threads_mutex_lock", "mutex");
  if (take_free(mutex)) return THREADS_OK;
  /* acquire: as above */
  while (__atomic_exchange_n(state_of(mutex), is_waited_for, __ATOMIC_ACQUIRE) != is_free) qthread_readFE(NULL, word_of(mutex));
  return THREADS_OK;
}

threads_status threads_mutex_unlock(threads_mutex *mutex) {
  if (mutex == NULL) return threads_fail_on_null("threads_mutex_unlock", "mutex");
  const aligned_t *const word = word_of(mutex);
  /* release: what the holder wrote; pairs with the lock */
  const uint64_t state = __atomic_exchange_n(state_of(mutex), is_free, __ATOMIC_RELEASE);
  if (state == is_waited_for) qthread_fill(word);
  if (state != is_free) return THREADS_OK;
  return threads_fail_at(THREADS_NOT_OWNER, "threads_mutex_unlock", "mutex", "the caller does not hold it (%p)", mutex);
}

threads_status threads_mutex_destroy(threads_mutex *mutex) {
  if (mutex == NULL) return threads_fail_on_null("threads_mutex_destroy", "mutex");
  if (*state_of(mutex) != is_free)
    return threads_fail_at(THREADS_BUSY, "threads_mutex_destroy", "mutex", "a caller holds it (%p)", mutex);
  if (!qthread_feb_status(word_of(mutex))) qthread_fill(word_of(mutex));
  return THREADS_OK;
}
