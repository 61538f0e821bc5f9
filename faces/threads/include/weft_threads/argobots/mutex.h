/* Weft: threads_mutex_* and threads_cond_* on Argobots, inlined. */
#ifndef WEFT_THREADS_ARGOBOTS_MUTEX_H /* SPDX-License-Identifier: BSD-3-Clause */
#define WEFT_THREADS_ARGOBOTS_MUTEX_H

#include <weft_threads/argobots/thread.h>
#include <weft_threads/detail/fail.h>

#ifdef __cplusplus
extern "C" {
#endif
THREADS_NODISCARD THREADS_API threads_status threads_argobots_cond_wait_until(threads_cond *cond, threads_mutex *mutex,
                                                                              uint64_t deadline_ns);
#ifdef __cplusplus
}
#endif

/* Both are ready when zero-filled, as ABT_MUTEX_INITIALIZER is (src/argobots/component.c asserts that they fit). */
static inline ABT_mutex threads_argobots_mutex(threads_mutex *mutex) {
  return ABT_MUTEX_MEMORY_GET_HANDLE((ABT_mutex_memory *)(void *)mutex);
}
static inline ABT_cond threads_argobots_cond(threads_cond *cond) {
  return ABT_COND_MEMORY_GET_HANDLE((ABT_cond_memory *)(void *)cond);
}

THREADS_NODISCARD static inline threads_status threads_mutex_lock(threads_mutex *mutex) {
  if (mutex == NULL) return threads_fail_on_null("threads_mutex_lock", "mutex");
  return threads_of_argobots("threads_mutex_lock", ABT_mutex_lock(threads_argobots_mutex(mutex)));
}

THREADS_NODISCARD static inline threads_status threads_mutex_try_lock(threads_mutex *mutex) {
  if (mutex == NULL) return threads_fail_on_null("threads_mutex_try_lock", "mutex");
  const int code = ABT_mutex_trylock(threads_argobots_mutex(mutex));
  if (code == ABT_ERR_MUTEX_LOCKED)
    return threads_fail_at(THREADS_BUSY, "threads_mutex_try_lock", "mutex", "it is held (%p)", mutex);
  return threads_of_argobots("threads_mutex_try_lock", code);
}

static inline threads_status threads_mutex_unlock(threads_mutex *mutex) {
  if (mutex == NULL) return threads_fail_on_null("threads_mutex_unlock", "mutex");
  return threads_of_argobots("threads_mutex_unlock", ABT_mutex_unlock(threads_argobots_mutex(mutex)));
}

static inline threads_status threads_mutex_destroy(threads_mutex *mutex) {
  return mutex != NULL ? THREADS_OK : threads_fail_on_null("threads_mutex_destroy", "mutex");
}

THREADS_NODISCARD static inline threads_status threads_cond_wait(threads_cond *cond, threads_mutex *mutex) {
  if (cond == NULL) return threads_fail_on_null("threads_cond_wait", "cond");
  if (mutex == NULL) return threads_fail_on_null("threads_cond_wait", "mutex");
  return threads_of_argobots("threads_cond_wait", ABT_cond_wait(threads_argobots_cond(cond), threads_argobots_mutex(mutex)));
}

THREADS_NODISCARD static inline threads_status threads_cond_wait_until(threads_cond *cond, threads_mutex *mutex,
                                                                       uint64_t deadline_ns) {
  return threads_argobots_cond_wait_until(cond, mutex, deadline_ns);
}

static inline threads_status threads_cond_signal(threads_cond *cond) {
  if (cond == NULL) return threads_fail_on_null("threads_cond_signal", "cond");
  return threads_of_argobots("threads_cond_signal", ABT_cond_signal(threads_argobots_cond(cond)));
}

static inline threads_status threads_cond_broadcast(threads_cond *cond) {
  if (cond == NULL) return threads_fail_on_null("threads_cond_broadcast", "cond");
  return threads_of_argobots("threads_cond_broadcast", ABT_cond_broadcast(threads_argobots_cond(cond)));
}

static inline threads_status threads_cond_destroy(threads_cond *cond) {
  return cond != NULL ? THREADS_OK : threads_fail_on_null("threads_cond_destroy", "cond");
}

#endif
