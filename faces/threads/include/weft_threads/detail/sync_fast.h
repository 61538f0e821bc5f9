/* Weft: full/empty variables whose common case is two atomic operations, for implementations whose mutex and condition are dearer.
 *
 * state: full 1, busy 2 (a call copies the value), waited 4 (all go through the mutex inside, see sync_slow.h).
 * A call that turns an idle, unwaited state busy owns the value until it makes it idle again, keeping `waited`. While `waited` is set and `busy`
 * is not, the holder of the mutex owns state and value. A fast call touches nothing after it made the state idle, so a reader of the
 * value may reuse the memory. Explored by tests/model/threads_sync_model.cpp. */
#ifndef WEFT_THREADS_DETAIL_SYNC_FAST_H /* SPDX-License-Identifier: BSD-3-Clause */
#define WEFT_THREADS_DETAIL_SYNC_FAST_H

#include <weft_threads/detail/fail.h>
#include <weft_threads/detail/sync_state.h>
#include <weft_threads/detail/sync_word.h>

static inline bool threads_sync_begin(threads_sync *sync, uint32_t idle) {
  /* acquire: the value that the last owner left; pairs with threads_sync_end */
  return threads_sync_replace(&sync->state, idle, idle | THREADS_SYNC_BUSY, __ATOMIC_ACQUIRE);
}

static inline void threads_sync_end(threads_sync *sync, uint32_t taken_away) {
  /* release: the value; pairs with threads_sync_begin and with the slow way's look at a state that is not busy */
  threads_sync_subtract(&sync->state, taken_away, __ATOMIC_RELEASE);
}

THREADS_NODISCARD static inline threads_status threads_sync_read_fe(threads_sync *sync, uint64_t *out) {
  if (sync == NULL) return threads_fail_on_null("threads_sync_read_fe", "sync");
  if (!threads_sync_begin(sync, THREADS_SYNC_FULL)) {
    return threads_sync_slowly(sync, THREADS_SYNC_WANT_FULL, THREADS_SYNC_LEAVE_EMPTY, NULL, out);
  }
  if (out != NULL) *out = sync->value;
  threads_sync_end(sync, THREADS_SYNC_BUSY | THREADS_SYNC_FULL);
  return THREADS_OK;
}

THREADS_NODISCARD static inline threads_status threads_sync_read_ff(threads_sync *sync, uint64_t *out) {
  if (sync == NULL) return threads_fail_on_null("threads_sync_read_ff", "sync");
  if (!threads_sync_begin(sync, THREADS_SYNC_FULL)) {
    return threads_sync_slowly(sync, THREADS_SYNC_WANT_FULL, THREADS_SYNC_LEAVE_FULL, NULL, out);
  }
  if (out != NULL) *out = sync->value;
  threads_sync_end(sync, THREADS_SYNC_BUSY);
  return THREADS_OK;
}

THREADS_NODISCARD static inline threads_status threads_sync_write_ef(threads_sync *sync, uint64_t value) {
  if (sync == NULL) return threads_fail_on_null("threads_sync_write_ef", "sync");
  if (!threads_sync_begin(sync, THREADS_SYNC_EMPTY)) {
    return threads_sync_slowly(sync, THREADS_SYNC_WANT_EMPTY, THREADS_SYNC_LEAVE_FULL, &value, NULL);
  }
  sync->value = value;
  threads_sync_end(sync, THREADS_SYNC_BUSY - THREADS_SYNC_FULL);
  return THREADS_OK;
}

static inline threads_status threads_sync_write_xf(threads_sync *sync, uint64_t value) {
  if (sync == NULL) return threads_fail_on_null("threads_sync_write_xf", "sync");
  const bool was_full = threads_sync_begin(sync, THREADS_SYNC_FULL);
  if (!was_full && !threads_sync_begin(sync, THREADS_SYNC_EMPTY)) {
    return threads_sync_slowly(sync, THREADS_SYNC_WANT_ANY, THREADS_SYNC_LEAVE_FULL, &value, NULL);
  }
  sync->value = value;
  threads_sync_end(sync, was_full ? THREADS_SYNC_BUSY : THREADS_SYNC_BUSY - THREADS_SYNC_FULL);
  return THREADS_OK;
}

static inline threads_status threads_sync_empty(threads_sync *sync) {
  if (sync == NULL) return threads_fail_on_null("threads_sync_empty", "sync");
  if (!threads_sync_begin(sync, THREADS_SYNC_FULL)) {
    return threads_sync_slowly(sync, THREADS_SYNC_WANT_ANY, THREADS_SYNC_LEAVE_EMPTY, NULL, NULL);
  }
  threads_sync_end(sync, THREADS_SYNC_BUSY | THREADS_SYNC_FULL);
  return THREADS_OK;
}

static inline threads_status threads_sync_fill(threads_sync *sync) {
  if (sync == NULL) return threads_fail_on_null("threads_sync_fill", "sync");
  if (!threads_sync_begin(sync, THREADS_SYNC_EMPTY)) {
    return threads_sync_slowly(sync, THREADS_SYNC_WANT_ANY, THREADS_SYNC_LEAVE_FULL, NULL, NULL);
  }
  threads_sync_end(sync, THREADS_SYNC_BUSY - THREADS_SYNC_FULL);
  return THREADS_OK;
}

static inline bool threads_sync_is_full(const threads_sync *sync) {
  return sync != NULL && (threads_sync_load(&sync->state, __ATOMIC_RELAXED) & THREADS_SYNC_FULL) != 0;
}

#endif
