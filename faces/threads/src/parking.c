/* See parking.h. */
#include "parking.h"

#include <pthread.h>
#include <string.h>

#include <weft_threads/manage.h>
#include <weft_threads_word/word.h>

#include "builtin.h"
#include "caller.h"

static threads_mutex *mutex_of(threads_parking *parking) { return (threads_mutex *)(void *)parking->opaque; }
static threads_cond *cond_of(threads_parking *parking) { return (threads_cond *)(void *)(parking->opaque + 8); }

_Static_assert(sizeof(threads_mutex) + sizeof(threads_cond) <= sizeof(((threads_parking *)NULL)->opaque), "both fit");

/* Its word: the kernel compares it after the count was raised, and the waker reads the count after
 * it has changed the word: one of the two sees the other (both seq_cst). */
static threads_status wait_outside(threads_parking *parking, const uint32_t *word, uint32_t value, uint64_t deadline_ns) {
  word_add(&parking->outside, 1, __ATOMIC_SEQ_CST);
  if (word_load(word, __ATOMIC_SEQ_CST) == value) {
    if (deadline_ns == PARKING_NO_DEADLINE) {
      word_sleep(word, value);
    } else {
      word_sleep_until(word, value, deadline_ns);
    }
  }
  word_add(&parking->outside, UINT32_MAX, __ATOMIC_RELAXED); /* off again, which nothing follows from */
  return THREADS_OK;
}

/* The words are those of the implementation of that start; 0: of none. */
static bool is_of_this_start(const threads_parking *parking) {
  /* acquire: the words that were cleared; pairs with renew */
  return word_load(&parking->start, __ATOMIC_ACQUIRE) == (uint32_t)caller_starts();
}

/* An implementation finds words of its own or zeros, not what another one has left there: no thread
 * of an earlier start waits any more. */
static void renew(threads_parking *parking) {
  static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  if (is_of_this_start(parking)) return;
  pthread_mutex_lock(&mutex);
  if (!is_of_this_start(parking)) {
    memset(parking->opaque, 0, sizeof parking->opaque);
    /* release: the words; pairs with is_of_this_start */
    word_store(&parking->start, (uint32_t)caller_starts(), __ATOMIC_RELEASE);
  }
  pthread_mutex_unlock(&mutex);
}

static threads_status wait_inside(threads_parking *parking, uint64_t deadline_ns) {
  const threads_component *const now = threads_component_now;
  if (deadline_ns == PARKING_NO_DEADLINE) return now->cond_wait(cond_of(parking), mutex_of(parking));
  const threads_status status = now->cond_wait_until(cond_of(parking), mutex_of(parking), deadline_ns);
  return status == THREADS_TIMEOUT ? THREADS_OK : status;
}

threads_status parking_wait(threads_parking *parking, const uint32_t *word, uint32_t value, uint64_t deadline_ns) {
  if (caller_is_outside()) return wait_outside(parking, word, value, deadline_ns);
  renew(parking);
  const threads_component *const now = threads_component_now;
  threads_status status = now->mutex_lock(mutex_of(parking));
  if (status != THREADS_OK) return status;
  if (word_load(word, __ATOMIC_SEQ_CST) == value) status = wait_inside(parking, deadline_ns);
  now->mutex_unlock(mutex_of(parking));
  return status;
}

threads_status parking_begin_wake(threads_parking *parking) {
  if (!threads_is_started()) return THREADS_OK;
  renew(parking);
  return threads_component_now->mutex_lock(mutex_of(parking));
}

void parking_end_wake(threads_parking *parking, const uint32_t *word) {
  if (threads_is_started()) {
    threads_component_now->cond_signal(cond_of(parking));
    threads_component_now->mutex_unlock(mutex_of(parking));
  }
  if (word_load(&parking->outside, __ATOMIC_SEQ_CST) != 0) word_wake(word);
}

void parking_destroy(threads_parking *parking) {
  const threads_parking fresh = THREADS_PARKING_INIT;
  if (threads_is_started() && is_of_this_start(parking)) {
    threads_component_now->cond_destroy(cond_of(parking));
    threads_component_now->mutex_destroy(mutex_of(parking));
  }
  *parking = fresh;
}
