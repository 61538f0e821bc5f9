/* Weft: the slow way of full/empty variables, over whichever threads_mutex_*, threads_cond_* and threads_yield are in scope. For the
 * sources of implementations, not for programs; see sync_fast.h for the states.
 *
 * Every call that leaves the variable full wakes one that waits for that, and likewise for empty: a reader that leaves it full passes the
 * wake-up on. Only readers end the slow way, when no call waits: a writer must not touch the variable once a fast reader could take the
 * value, and it has the mutex to unlock. */
#ifndef WEFT_THREADS_DETAIL_SYNC_SLOW_H /* SPDX-License-Identifier: BSD-3-Clause */
#define WEFT_THREADS_DETAIL_SYNC_SLOW_H

#include <weft_threads/detail/fail.h>
#include <weft_threads/detail/sync_state.h>
#include <weft_threads/detail/sync_word.h>

/* The holder of the mutex waits for a fast call that began before; that is a copy of one word. */
static inline uint32_t threads_sync_idle_state(threads_sync *sync) {
  for (;;) {
    /* acquire: the value that a fast call left; pairs with threads_sync_end */
    const uint32_t state = threads_sync_load(&sync->state, __ATOMIC_ACQUIRE);
    if ((state & THREADS_SYNC_BUSY) == 0) return state;
    threads_yield();
  }
}

static inline threads_status threads_sync_await(threads_sync *sync, threads_sync_want want) {
  uint32_t *const waiting = want == THREADS_SYNC_WANT_FULL ? &sync->waiting_full : &sync->waiting_empty;
  const uint32_t wanted = want == THREADS_SYNC_WANT_FULL ? THREADS_SYNC_FULL : THREADS_SYNC_EMPTY;
  threads_status status = THREADS_OK;
  ++*waiting;
  while (status == THREADS_OK && (threads_sync_idle_state(sync) & THREADS_SYNC_FULL) != wanted) {
    status = threads_cond_wait(threads_sync_cond(sync, want), threads_sync_mutex(sync));
  }
  --*waiting;
  return status;
}

static inline void threads_sync_leave_as(threads_sync *sync, threads_sync_leave leave, bool may_end_slow_way) {
  const bool is_full = leave == THREADS_SYNC_LEAVE_FULL;
  const bool is_waited = sync->waiting_full + sync->waiting_empty != 0;
  const uint32_t waited = is_waited || !may_end_slow_way ? THREADS_SYNC_WAITED : 0;
  /* release: the value, if this ends the slow way; pairs with threads_sync_begin */
  threads_sync_store(&sync->state, (is_full ? THREADS_SYNC_FULL : THREADS_SYNC_EMPTY) | waited, __ATOMIC_RELEASE);
  const threads_sync_want woken = is_full ? THREADS_SYNC_WANT_FULL : THREADS_SYNC_WANT_EMPTY;
  if ((is_full ? sync->waiting_full : sync->waiting_empty) != 0) threads_cond_signal(threads_sync_cond(sync, woken));
}

static inline threads_status threads_sync_by_mutex(threads_sync *sync, threads_sync_want want, threads_sync_leave leave,
                                                   const uint64_t *in, uint64_t *out) {
  threads_status status = threads_mutex_lock(threads_sync_mutex(sync));
  if (status != THREADS_OK) return status;
  threads_sync_set_bits(&sync->state, THREADS_SYNC_WAITED, __ATOMIC_RELAXED);
  if (want == THREADS_SYNC_WANT_ANY) {
    threads_sync_idle_state(sync);
  } else {
    status = threads_sync_await(sync, want);
  }
  if (status == THREADS_OK) {
    if (out != NULL) *out = sync->value;
    if (in != NULL) sync->value = *in;
    threads_sync_leave_as(sync, leave, want == THREADS_SYNC_WANT_FULL);
  }
  threads_mutex_unlock(threads_sync_mutex(sync));
  return status;
}

static inline threads_status threads_sync_destroy_parts(threads_sync *sync) {
  if (sync == NULL) return threads_fail_on_null("threads_sync_destroy", "sync");
  if (sync->waiting_full + sync->waiting_empty != 0)
    return threads_fail_at(THREADS_BUSY, "threads_sync_destroy", "sync", "a caller waits at it (%p)", sync);
  threads_cond_destroy(threads_sync_cond(sync, THREADS_SYNC_WANT_FULL));
  threads_cond_destroy(threads_sync_cond(sync, THREADS_SYNC_WANT_EMPTY));
  threads_mutex_destroy(threads_sync_mutex(sync));
  sync->state = THREADS_SYNC_EMPTY;
  return THREADS_OK;
}

#endif
