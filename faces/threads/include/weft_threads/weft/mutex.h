/* Weft: threads_mutex_* and threads_cond_* on libweft, inlined. */
#ifndef WEFT_THREADS_WEFT_MUTEX_H /* SPDX-License-Identifier: BSD-3-Clause */
#define WEFT_THREADS_WEFT_MUTEX_H

#include <weft_threads/detail/fail.h>
#include <weft_threads/weft/thread.h>

static inline weft_mutex *threads_weft_mutex(threads_mutex *mutex) { return (weft_mutex *)(void *)mutex; }
static inline weft_cond *threads_weft_cond(threads_cond *cond) { return (weft_cond *)(void *)cond; }

THREADS_NODISCARD static inline threads_status threads_mutex_lock(threads_mutex *mutex) {
  return threads_of_weft(weft_mutex_lock(threads_weft_mutex(mutex)));
}

THREADS_NODISCARD static inline threads_status threads_mutex_try_lock(threads_mutex *mutex) {
  return threads_of_weft(weft_mutex_try_lock(threads_weft_mutex(mutex)));
}

static inline threads_status threads_mutex_unlock(threads_mutex *mutex) {
  return threads_of_weft(weft_mutex_unlock(threads_weft_mutex(mutex)));
}

static inline threads_status threads_mutex_destroy(threads_mutex *mutex) {
  return mutex != NULL ? THREADS_OK : threads_fail_on_null("threads_mutex_destroy", "mutex");
}

THREADS_NODISCARD static inline threads_status threads_cond_wait(threads_cond *cond, threads_mutex *mutex) {
  return threads_of_weft(weft_cond_wait(threads_weft_cond(cond), threads_weft_mutex(mutex)));
}

THREADS_NODISCARD static inline threads_status threads_cond_wait_until(threads_cond *cond, threads_mutex *mutex,
                                                                       uint64_t deadline_ns) {
  return threads_of_weft(weft_cond_wait_until(threads_weft_cond(cond), threads_weft_mutex(mutex), deadline_ns));
}

static inline threads_status threads_cond_signal(threads_cond *cond) {
  return threads_of_weft(weft_cond_signal(threads_weft_cond(cond)));
}

static inline threads_status threads_cond_broadcast(threads_cond *cond) {
  return threads_of_weft(weft_cond_broadcast(threads_weft_cond(cond)));
}

static inline threads_status threads_cond_destroy(threads_cond *cond) {
  return cond != NULL ? THREADS_OK : threads_fail_on_null("threads_cond_destroy", "cond");
}

#endif
