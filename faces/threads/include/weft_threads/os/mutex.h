/* Weft: threads_mutex_* and threads_cond_* on OS threads, inlined: the OS's own. */
#ifndef WEFT_THREADS_OS_MUTEX_H /* SPDX-License-Identifier: BSD-3-Clause */
#define WEFT_THREADS_OS_MUTEX_H

#include <errno.h>
#include <pthread.h>

#include <weft_threads/detail/fail.h>
#include <weft_threads/types.h>

#ifdef __cplusplus
extern "C" {
#endif
/* Waits count as blocked. */
THREADS_NODISCARD THREADS_API threads_status threads_os_cond_wait(threads_cond *cond, threads_mutex *mutex);
THREADS_NODISCARD THREADS_API threads_status threads_os_cond_wait_until(threads_cond *cond, threads_mutex *mutex,
                                                                        uint64_t deadline_ns);
#ifdef __cplusplus
}
#endif

/* Both are ready when zero-filled (src/os/component.c asserts that they fit). */
static inline pthread_mutex_t *threads_os_mutex(threads_mutex *mutex) { return (pthread_mutex_t *)(void *)mutex; }
static inline pthread_cond_t *threads_os_cond(threads_cond *cond) { return (pthread_cond_t *)(void *)cond; }

THREADS_NODISCARD static inline threads_status threads_mutex_lock(threads_mutex *mutex) {
  if (mutex == NULL) return threads_fail_on_null("threads_mutex_lock", "mutex");
  if (pthread_mutex_lock(threads_os_mutex(mutex)) == 0) return THREADS_OK;
  return threads_fail_at(THREADS_INVALID, "threads_mutex_lock", "mutex", "it is no mutex of the system (%p)", mutex);
}

THREADS_NODISCARD static inline threads_status threads_mutex_try_lock(threads_mutex *mutex) {
  if (mutex == NULL) return threads_fail_on_null("threads_mutex_try_lock", "mutex");
  const int error = pthread_mutex_trylock(threads_os_mutex(mutex));
  if (error == 0) return THREADS_OK;
  if (error == EBUSY) return threads_fail_at(THREADS_BUSY, "threads_mutex_try_lock", "mutex", "it is held (%p)", mutex);
  return threads_fail_at(THREADS_INVALID, "threads_mutex_try_lock", "mutex", "it is no mutex of the system (%p)", mutex);
}

static inline threads_status threads_mutex_unlock(threads_mutex *mutex) {
  if (mutex == NULL) return threads_fail_on_null("threads_mutex_unlock", "mutex");
  if (pthread_mutex_unlock(threads_os_mutex(mutex)) == 0) return THREADS_OK;
  return threads_fail_at(THREADS_NOT_OWNER, "threads_mutex_unlock", "mutex", "the caller does not hold it (%p)", mutex);
}

static inline threads_status threads_mutex_destroy(threads_mutex *mutex) {
  if (mutex == NULL) return threads_fail_on_null("threads_mutex_destroy", "mutex");
  const threads_mutex fresh = THREADS_MUTEX_INIT;
  if (pthread_mutex_destroy(threads_os_mutex(mutex)) != 0)
    return threads_fail_at(THREADS_BUSY, "threads_mutex_destroy", "mutex", "a caller holds it (%p)", mutex);
  *mutex = fresh;
  return THREADS_OK;
}

THREADS_NODISCARD static inline threads_status threads_cond_wait(threads_cond *cond, threads_mutex *mutex) {
  return threads_os_cond_wait(cond, mutex);
}

THREADS_NODISCARD static inline threads_status threads_cond_wait_until(threads_cond *cond, threads_mutex *mutex,
                                                                       uint64_t deadline_ns) {
  return threads_os_cond_wait_until(cond, mutex, deadline_ns);
}

static inline threads_status threads_cond_signal(threads_cond *cond) {
  if (cond == NULL) return threads_fail_on_null("threads_cond_signal", "cond");
  if (pthread_cond_signal(threads_os_cond(cond)) == 0) return THREADS_OK;
  return threads_fail_at(THREADS_INVALID, "threads_cond_signal", "cond", "it is no condition of the system (%p)", cond);
}

static inline threads_status threads_cond_broadcast(threads_cond *cond) {
  if (cond == NULL) return threads_fail_on_null("threads_cond_broadcast", "cond");
  if (pthread_cond_broadcast(threads_os_cond(cond)) == 0) return THREADS_OK;
  return threads_fail_at(THREADS_INVALID, "threads_cond_broadcast", "cond", "it is no condition of the system (%p)", cond);
}

static inline threads_status threads_cond_destroy(threads_cond *cond) {
  if (cond == NULL) return threads_fail_on_null("threads_cond_destroy", "cond");
  const threads_cond fresh = THREADS_COND_INIT;
  if (pthread_cond_destroy(threads_os_cond(cond)) != 0)
    return threads_fail_at(THREADS_BUSY, "threads_cond_destroy", "cond", "a caller waits at it (%p)", cond);
  *cond = fresh;
  return THREADS_OK;
}

#endif
