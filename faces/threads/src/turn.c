/* Conditions whose waiters make progress, and turns: made of wait-syncs. The list of a condition
 * belongs to its user's lock. */
#include <weft_threads/detail/fail.h>
#include <weft_threads/progress.h>

#include "caller.h"
#include "require.h"

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
  return __atomic_load_n(&lock->state, __ATOMIC_RELAXED) != 0; /* such a lock knows no more */
}

threads_status threads_progress_cond_wait(threads_progress_cond *cond, threads_lock *lock, threads_progress *progress) {
  static const char *const call = "threads_progress_cond_wait";
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
  const threads_status waited = threads_wait_sync_wait(&sync, NULL);
  require_ok(threads_lock_acquire(lock), call);
  if (sync.is_in_cond) leave(cond, &sync);
  if (threads_wait_sync_is_done(&sync)) require_ok(threads_wait_sync_release(&sync), call);
  return waited == THREADS_OK ? waited : threads_fail_as(waited, call);
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
