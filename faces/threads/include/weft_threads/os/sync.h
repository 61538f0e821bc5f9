/* Weft: threads_sync_* on OS threads, inlined: a mutex and two conditions, as in Chapel's FIFO tasking layer. Every call that leaves the
 * variable full wakes one that waits for that, and likewise for empty: a reader that leaves it full passes the wake-up on. */
#ifndef WEFT_THREADS_OS_SYNC_H /* SPDX-License-Identifier: BSD-3-Clause */
#define WEFT_THREADS_OS_SYNC_H

#include <weft_threads/detail/fail.h>
#include <weft_threads/os/mutex.h>

typedef enum threads_os_sync_state { THREADS_OS_SYNC_EMPTY = 0, THREADS_OS_SYNC_FULL = 1 } threads_os_sync_state;

static inline threads_mutex *threads_os_sync_mutex(threads_sync *sync) { return (threads_mutex *)(void *)sync->opaque; }
static inline threads_cond *threads_os_sync_cond(threads_sync *sync, threads_os_sync_state state) {
  return (threads_cond *)(void *)(sync->opaque + (state == THREADS_OS_SYNC_FULL ? 8 : 16));
}

/* Returns with the mutex held and the variable in the state. The state is atomic only for threads_sync_is_full, which takes no mutex. */
static inline threads_status threads_os_sync_await(threads_sync *sync, threads_os_sync_state state) {
  threads_status status = threads_mutex_lock(threads_os_sync_mutex(sync));
  while (status == THREADS_OK && __atomic_load_n(&sync->state, __ATOMIC_RELAXED) != (uint32_t)state) {
    status = threads_cond_wait(threads_os_sync_cond(sync, state), threads_os_sync_mutex(sync));
  }
  return status;
}

static inline threads_status threads_os_sync_leave(threads_sync *sync, threads_os_sync_state state) {
  __atomic_store_n(&sync->state, (uint32_t)state, __ATOMIC_RELAXED);
  threads_cond_signal(threads_os_sync_cond(sync, state));
  return threads_mutex_unlock(threads_os_sync_mutex(sync));
}

static inline threads_status threads_os_sync_read(threads_sync *sync, threads_os_sync_state leave, uint64_t *out) {
  const threads_status status = threads_os_sync_await(sync, THREADS_OS_SYNC_FULL);
  if (status != THREADS_OK) return status;
  if (out != NULL) *out = sync->value;
  return threads_os_sync_leave(sync, leave);
}

THREADS_NODISCARD static inline threads_status threads_sync_read_fe(threads_sync *sync, uint64_t *out) {
  if (sync == NULL) return threads_fail_on_null("threads_sync_read_fe", "sync");
  return threads_os_sync_read(sync, THREADS_OS_SYNC_EMPTY, out);
}

THREADS_NODISCARD static inline threads_status threads_sync_read_ff(threads_sync *sync, uint64_t *out) {
  if (sync == NULL) return threads_fail_on_null("threads_sync_read_ff", "sync");
  return threads_os_sync_read(sync, THREADS_OS_SYNC_FULL, out);
}

THREADS_NODISCARD static inline threads_status threads_sync_write_ef(threads_sync *sync, uint64_t value) {
  if (sync == NULL) return threads_fail_on_null("threads_sync_write_ef", "sync");
  const threads_status status = threads_os_sync_await(sync, THREADS_OS_SYNC_EMPTY);
  if (status != THREADS_OK) return status;
  sync->value = value;
  return threads_os_sync_leave(sync, THREADS_OS_SYNC_FULL);
}

static inline threads_status threads_os_sync_set(threads_sync *sync, threads_os_sync_state state, const uint64_t *in) {
  const threads_status status = threads_mutex_lock(threads_os_sync_mutex(sync));
  if (status != THREADS_OK) return status;
  if (in != NULL) sync->value = *in;
  return threads_os_sync_leave(sync, state);
}

static inline threads_status threads_sync_write_xf(threads_sync *sync, uint64_t value) {
  if (sync == NULL) return threads_fail_on_null("threads_sync_write_xf", "sync");
  return threads_os_sync_set(sync, THREADS_OS_SYNC_FULL, &value);
}

static inline threads_status threads_sync_empty(threads_sync *sync) {
  if (sync == NULL) return threads_fail_on_null("threads_sync_empty", "sync");
  return threads_os_sync_set(sync, THREADS_OS_SYNC_EMPTY, NULL);
}
static inline threads_status threads_sync_fill(threads_sync *sync) {
  if (sync == NULL) return threads_fail_on_null("threads_sync_fill", "sync");
  return threads_os_sync_set(sync, THREADS_OS_SYNC_FULL, NULL);
}

static inline bool threads_sync_is_full(const threads_sync *sync) {
  return sync != NULL && __atomic_load_n(&sync->state, __ATOMIC_RELAXED) == THREADS_OS_SYNC_FULL;
}

static inline threads_status threads_sync_destroy(threads_sync *sync) {
  if (sync == NULL) return threads_fail_on_null("threads_sync_destroy", "sync");
  threads_cond_destroy(threads_os_sync_cond(sync, THREADS_OS_SYNC_FULL));
  threads_cond_destroy(threads_os_sync_cond(sync, THREADS_OS_SYNC_EMPTY));
  const threads_status status = threads_mutex_destroy(threads_os_sync_mutex(sync));
  if (status == THREADS_OK) sync->state = THREADS_OS_SYNC_EMPTY;
  return status;
}

#endif
