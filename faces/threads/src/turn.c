/* Conditions whose waiters make progress, and turns: made of wait-syncs. The list of a condition
 * belongs to its user's lock. */
#include <weft_threads/detail/fail.h>
#include <weft_threads/progress.h>

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

threads_status threads_progress_cond_wait(threads_progress_cond *cond, threads_lock *lock, threads_progress *progress) {
  static const char *const call = "threads_progress_cond_wait";
  threads_wait_sync sync;
  if (cond == NULL) return threads_fail_on_null(call, "cond");
  if (lock == NULL) return threads_fail_on_null(call, "lock");
  if (progress == NULL) return threads_fail_on_null(call, "progress");
  if (lock->is_recursive != 0 && lock->times > 1)
    return threads_fail(THREADS_INVALID, call, "lock", "the caller holds it %u times", lock->times);
  if (__atomic_load_n(&lock->state, __ATOMIC_RELAXED) == 0)
    return threads_fail_at(THREADS_NOT_OWNER, call, "lock", "no caller holds it (%p)", lock);
  threads_wait_sync_init(&sync, progress, 1);
  enter(cond, &sync);
  threads_status status = threads_lock_release(lock);
  if (status == THREADS_OK) {
    const threads_status waited = threads_wait_sync_wait(&sync, NULL);
    status = threads_lock_acquire(lock);
    if (waited != THREADS_OK) status = waited;
  }
  if (sync.is_in_cond) leave(cond, &sync);
  threads_wait_sync_release(&sync);
  return status == THREADS_OK ? status : threads_fail_as(status, call);
}

threads_status threads_progress_cond_signal(threads_progress_cond *cond) {
  if (cond == NULL) return threads_fail_on_null("threads_progress_cond_signal", "cond");
  threads_wait_sync *const first = take_first(cond);
  if (first == NULL) return THREADS_OK;
  const threads_status status = threads_wait_sync_update(first, 1, 0);
  return status == THREADS_OK ? status : threads_fail_as(status, "threads_progress_cond_signal");
}

threads_status threads_progress_cond_broadcast(threads_progress_cond *cond) {
  if (cond == NULL) return threads_fail_on_null("threads_progress_cond_broadcast", "cond");
  threads_status status = THREADS_OK;
  while (cond->first != NULL && status == THREADS_OK) status = threads_wait_sync_update(take_first(cond), 1, 0);
  return status == THREADS_OK ? status : threads_fail_as(status, "threads_progress_cond_broadcast");
}

/* ---- turns --------------------------------------------------------------------------------------- */

threads_status threads_turn_acquire(threads_turn *turn, threads_progress *progress) {
  if (turn == NULL) return threads_fail_on_null("threads_turn_acquire", "turn");
  if (progress == NULL) return threads_fail_on_null("threads_turn_acquire", "progress");
  threads_status status = threads_lock_acquire(&turn->lock);
  while (status == THREADS_OK && turn->is_taken) status = threads_progress_cond_wait(&turn->cond, &turn->lock, progress);
  if (status != THREADS_OK) return threads_fail_as(status, "threads_turn_acquire");
  turn->is_taken = true;
  threads_lock_release(&turn->lock);
  return THREADS_OK;
}

threads_status threads_turn_release(threads_turn *turn) {
  if (turn == NULL) return threads_fail_on_null("threads_turn_release", "turn");
  threads_status status = threads_lock_acquire(&turn->lock);
  if (status != THREADS_OK) return threads_fail_as(status, "threads_turn_release");
  const bool was_taken = turn->is_taken;
  turn->is_taken = false;
  if (was_taken) status = threads_progress_cond_signal(&turn->cond);
  threads_lock_release(&turn->lock);
  if (!was_taken) return threads_fail_at(THREADS_NOT_OWNER, "threads_turn_release", "turn", "no caller has it (%p)", turn);
  return status == THREADS_OK ? status : threads_fail_as(status, "threads_turn_release");
}
