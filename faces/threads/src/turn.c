/* Conditions whose waiters make progress, and turns: made of wait-syncs. The list of a condition
 * belongs to its user's lock. */
#include <weft_threads/detail/fail.h>
#include <weft_threads/progress.h>
#include <weft_threads_word/word.h>

#include "caller.h"
#include "parking.h"
#include "require.h"
#include "timed.h"

static void enter(threads_progress_cond *cond, threads_wait_sync *sync) {
  sync->is_in_cond = true;
  if (cond->last != NULL) {
    cond->last->behind = sync;
  } else {
    cond->first = sync;
  }
  cond->last = sync;
}

static threads_wait_sync *take_first(threads_progress_cond *cond) {
  threads_wait_sync *const first = cond->first;
  if (first == NULL) return NULL;
  cond->first = first->behind;
  if (cond->first == NULL) cond->last = NULL;
  first->is_in_cond = false;
  return first;
}

/* It was woken by another than a signal. */
static void leave(threads_progress_cond *cond, threads_wait_sync *sync) {
  threads_wait_sync *before = NULL, *one = cond->first;
  for (; one != sync; one = one->behind) before = one;
  if (before != NULL) {
    before->behind = sync->behind;
  } else {
    cond->first = sync->behind;
  }
  if (cond->last == sync) cond->last = before;
}

static bool is_held_by_caller(const threads_lock *lock) {
  if (lock->is_recursive != 0) return __atomic_load_n(&lock->owner, __ATOMIC_RELAXED) == caller_identity();
  return word_load(&lock->state, __ATOMIC_RELAXED) != 0; /* such a lock knows no more */
}

/* A signal comes under the lock: one that came before the caller had it back has taken the caller
 * out of the list, and counts, deadline or not. */
static threads_status wait_for_signal(threads_progress_cond *cond, threads_lock *lock, threads_progress *progress,
                                      uint64_t deadline_ns, const char *call) {
  threads_wait_sync sync;
  if (cond == NULL) return threads_fail_on_null(call, "cond");
  if (lock == NULL) return threads_fail_on_null(call, "lock");
  if (progress == NULL) return threads_fail_on_null(call, "progress");
  if (!is_held_by_caller(lock)) return threads_fail_at(THREADS_NOT_OWNER, call, "lock", "the caller does not hold it (%p)", lock);
  if (lock->is_recursive != 0 && lock->times > 1)
    return threads_fail(THREADS_INVALID, call, "lock", "the caller holds it %u times", lock->times);
  threads_wait_sync_init(&sync, progress, 1);
  enter(cond, &sync);
  require_ok(threads_lock_release(lock), call);
  const threads_status waited = timed_wait(&sync, NULL, deadline_ns);
  require_ok(threads_lock_acquire(lock), call);
  if (sync.is_in_cond) leave(cond, &sync);
  const bool is_done = threads_wait_sync_is_done(&sync);
  if (is_done) {
    require_ok(threads_wait_sync_release(&sync), call);
  } else {
    parking_destroy(&sync.parking); /* unlinked, and its signal would need the lock: none will touch it */
  }
  if (waited == THREADS_OK || (waited == THREADS_TIMEOUT && is_done)) return THREADS_OK;
  if (waited == THREADS_TIMEOUT) return threads_fail(waited, call, NULL, "the deadline passed", 0);
  return threads_fail_as(waited, call);
}

threads_status threads_progress_cond_wait(threads_progress_cond *cond, threads_lock *lock, threads_progress *progress) {
  return wait_for_signal(cond, lock, progress, PARKING_NO_DEADLINE, "threads_progress_cond_wait");
}

threads_status threads_progress_cond_wait_until(threads_progress_cond *cond, threads_lock *lock, threads_progress *progress,
                                                uint64_t deadline_ns) {
  return wait_for_signal(cond, lock, progress, deadline_ns, "threads_progress_cond_wait_until");
}

/* The waiter is in the list no more: it must be woken. */
static void wake(threads_wait_sync *sync, const char *call) { require_ok(threads_wait_sync_update(sync, 1, 0), call); }

threads_status threads_progress_cond_signal(threads_progress_cond *cond) {
  if (cond == NULL) return threads_fail_on_null("threads_progress_cond_signal", "cond");
  threads_wait_sync *const first = take_first(cond);
  if (first != NULL) wake(first, "threads_progress_cond_signal");
  return THREADS_OK;
}

threads_status threads_progress_cond_broadcast(threads_progress_cond *cond) {
  if (cond == NULL) return threads_fail_on_null("threads_progress_cond_broadcast", "cond");
  while (cond->first != NULL) wake(take_first(cond), "threads_progress_cond_broadcast");
  return THREADS_OK;
}

/* ---- turns --------------------------------------------------------------------------------------- */

threads_status threads_turn_acquire(threads_turn *turn, threads_progress *progress) {
  static const char *const call = "threads_turn_acquire";
  if (turn == NULL) return threads_fail_on_null(call, "turn");
  if (progress == NULL) return threads_fail_on_null(call, "progress");
  threads_status status = threads_lock_acquire(&turn->lock);
  if (status != THREADS_OK) return threads_fail_as(status, call);
  while (status == THREADS_OK && turn->is_taken) status = threads_progress_cond_wait(&turn->cond, &turn->lock, progress);
  if (status == THREADS_OK) turn->is_taken = true;
  require_ok(threads_lock_release(&turn->lock), call);
  return status == THREADS_OK ? status : threads_fail_as(status, call);
}

threads_status threads_turn_release(threads_turn *turn) {
  static const char *const call = "threads_turn_release";
  if (turn == NULL) return threads_fail_on_null(call, "turn");
  const threads_status status = threads_lock_acquire(&turn->lock);
  if (status != THREADS_OK) return threads_fail_as(status, call);
  const bool was_taken = turn->is_taken;
  turn->is_taken = false;
  if (was_taken) require_ok(threads_progress_cond_signal(&turn->cond), call);
  require_ok(threads_lock_release(&turn->lock), call);
  return was_taken ? status : threads_fail_at(THREADS_NOT_OWNER, call, "turn", "no caller has it (%p)", turn);
}
