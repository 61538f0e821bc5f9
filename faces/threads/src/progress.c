/* Wait-syncs: waiters of which some make progress. All lists, promotions and the last update of each
 * wait-sync belong to the lock of their threads_progress: a waiter that has seen its count at 0
 * passes that lock once more before its wait-sync may go, and so comes after its updater. */
#include <weft_threads/detail/fail.h>
#include <weft_threads/progress.h>
#include <weft_threads_word/word.h>

#include "caller.h"
#include "clock.h"
#include "parking.h"
#include "require.h"
#include "timed.h"

static uint32_t *count_word(const threads_wait_sync *sync) { return (uint32_t *)(uintptr_t)&sync->count; }

static int32_t count_of(const threads_wait_sync *sync) {
  /* acquire: what the updaters wrote before; pairs with their updates */
  return (int32_t)word_load(count_word(sync), __ATOMIC_ACQUIRE);
}

threads_status threads_wait_sync_init(threads_wait_sync *sync, threads_progress *progress, int32_t count) {
  if (sync == NULL) return threads_fail_on_null("threads_wait_sync_init", "sync");
  if (progress == NULL) return threads_fail_on_null("threads_wait_sync_init", "progress");
  if (count < 0) return threads_fail(THREADS_INVALID, "threads_wait_sync_init", "count", "it is negative (%d)", (uint64_t)count);
  *sync = (threads_wait_sync){.progress = progress, .count = count};
  return THREADS_OK;
}

bool threads_wait_sync_is_done(const threads_wait_sync *sync) { return sync == NULL || count_of(sync) <= 0; }

/* ---- the list, inside the lock ----------------------------------------------------------------- */

static void link_last(threads_progress *progress, threads_wait_sync *sync) {
  sync->next = NULL;
  sync->previous = progress->last;
  if (progress->last != NULL) {
    progress->last->next = sync;
  } else {
    progress->first = sync;
  }
  progress->last = sync;
}

static void unlink_it(threads_progress *progress, threads_wait_sync *sync) {
  if (sync->previous != NULL) {
    sync->previous->next = sync->next;
  } else {
    progress->first = sync->next;
  }
  if (sync->next != NULL) {
    sync->next->previous = sync->previous;
  } else {
    progress->last = sync->previous;
  }
}

/* Else: the caller would have to wait and cannot; nothing has changed. */
static threads_status begin_change(threads_wait_sync *sync) {
  return sync->is_parked ? parking_begin_wake(&sync->parking) : THREADS_OK;
}

static void end_change(threads_wait_sync *sync) {
  if (!sync->is_parked) return;
  word_store(&sync->woken, 1, __ATOMIC_SEQ_CST);
  parking_end_wake(&sync->parking, &sync->woken);
}

static bool may_make(const threads_progress *progress) {
  return progress->make != NULL && progress->making < (progress->most != 0 ? progress->most : 1);
}

/* The slot of a caller that made progress goes to the one that has parked longest. */
static void promote_next(threads_progress *progress) {
  for (threads_wait_sync *one = progress->first; one != NULL && may_make(progress); one = one->next) {
    if (one->is_promoted || !one->is_parked || begin_change(one) != THREADS_OK) continue;
    one->is_promoted = true;
    ++progress->making;
    end_change(one);
  }
}

/* ---- waiting ------------------------------------------------------------------------------------ */

static bool is_over(uint64_t deadline_ns) { return deadline_ns != PARKING_NO_DEADLINE && clock_now_ns() >= deadline_ns; }

/* Outside of the lock. */
static threads_status make_until_done(const threads_progress *progress, const threads_wait_sync *sync, uint64_t deadline_ns) {
  while (count_of(sync) > 0) {
    if (is_over(deadline_ns)) return THREADS_TIMEOUT;
    if (progress->make(progress->argument) <= 0) caller_pause();
  }
  return THREADS_OK;
}

static const char *const wait_call = "threads_wait_sync_wait";

static void let_in(threads_progress *progress, const char *call) { require_ok(threads_lock_release(&progress->lock), call); }
static void come_back(threads_progress *progress) { require_ok(threads_lock_acquire(&progress->lock), wait_call); }

static threads_status park(threads_progress *progress, threads_wait_sync *sync, uint64_t deadline_ns) {
  word_store(&sync->woken, 0, __ATOMIC_RELAXED);
  sync->is_parked = true;
  let_in(progress, wait_call);
  threads_status parked = THREADS_OK;
  while (parked == THREADS_OK && word_load(&sync->woken, __ATOMIC_SEQ_CST) == 0)
    parked = is_over(deadline_ns) ? THREADS_TIMEOUT : parking_wait(&sync->parking, &sync->woken, 0, deadline_ns);
  come_back(progress);
  sync->is_parked = false;
  return parked;
}

/* Inside the lock; linked. */
static threads_status wait_in_turn(threads_progress *progress, threads_wait_sync *sync, uint64_t deadline_ns) {
  threads_status status = THREADS_OK;
  while (status == THREADS_OK && count_of(sync) > 0) {
    if (!sync->is_promoted && may_make(progress)) {
      sync->is_promoted = true;
      ++progress->making;
    }
    if (!sync->is_promoted) {
      status = park(progress, sync, deadline_ns);
      continue;
    }
    let_in(progress, wait_call);
    status = make_until_done(progress, sync, deadline_ns);
    come_back(progress);
  }
  return status == THREADS_TIMEOUT && count_of(sync) <= 0 ? THREADS_OK : status;
}

threads_status timed_wait(threads_wait_sync *sync, int *outcome, uint64_t deadline_ns) {
  threads_progress *const progress = sync->progress;
  threads_status status = threads_lock_acquire(&progress->lock);
  if (status != THREADS_OK) return threads_fail_as(status, wait_call);
  link_last(progress, sync);
  status = wait_in_turn(progress, sync, deadline_ns);
  unlink_it(progress, sync);
  if (sync->is_promoted) {
    sync->is_promoted = false;
    --progress->making;
    promote_next(progress);
  }
  if (status == THREADS_OK && outcome != NULL) *outcome = sync->outcome;
  let_in(progress, wait_call);
  return status == THREADS_OK ? status : threads_fail_as(status, wait_call);
}

threads_status threads_wait_sync_wait(threads_wait_sync *sync, int *outcome) {
  if (sync == NULL) return threads_fail_on_null(wait_call, "sync");
  return timed_wait(sync, outcome, PARKING_NO_DEADLINE);
}

/* ---- updates ------------------------------------------------------------------------------------ */

/* Takes updates off while some are left afterwards; such a wait-sync stays where it is. */
static bool take_off_some(threads_wait_sync *sync, int32_t updates) {
  uint32_t count = word_load(count_word(sync), __ATOMIC_RELAXED);
  while ((int32_t)count > updates) {
    /* release: what each updater wrote, to the waiter; pairs with count_of and complete */
    if (word_replace(count_word(sync), &count, count - (uint32_t)updates, __ATOMIC_RELEASE)) return true;
  }
  return false;
}

/* Inside the lock. */
static threads_status complete(threads_wait_sync *sync, int32_t updates, int outcome) {
  const threads_status status = begin_change(sync);
  if (status != THREADS_OK) return status;
  if (outcome != 0) sync->outcome = outcome;
  /* acquire: what updaters before wrote, for the waiter, too; pairs with take_off_some */
  const uint32_t before = word_load(count_word(sync), __ATOMIC_ACQUIRE);
  const uint32_t left = outcome != 0 ? 0 : before - (uint32_t)updates;
  word_store(count_word(sync), left, __ATOMIC_RELEASE); /* release: as above */
  end_change(sync);
  return THREADS_OK;
}

threads_status threads_wait_sync_update(threads_wait_sync *sync, int32_t updates, int outcome) {
  if (sync == NULL) return threads_fail_on_null("threads_wait_sync_update", "sync");
  if (updates < 0)
    return threads_fail(THREADS_INVALID, "threads_wait_sync_update", "updates", "it is negative (%d)", (uint64_t)updates);
  if (outcome == 0 && take_off_some(sync, updates)) return THREADS_OK;
  threads_progress *const progress = sync->progress;
  threads_status status = threads_lock_acquire(&progress->lock);
  if (status == THREADS_OK) {
    status = complete(sync, updates, outcome);
    let_in(progress, "threads_wait_sync_update");
  }
  return status == THREADS_OK ? status : threads_fail_as(status, "threads_wait_sync_update");
}

threads_status threads_wait_sync_release(threads_wait_sync *sync) {
  if (sync == NULL) return threads_fail_on_null("threads_wait_sync_release", "sync");
  if (count_of(sync) > 0) return threads_fail_at(THREADS_BUSY, "threads_wait_sync_release", "sync", "it is not done (%p)", sync);
  const threads_status status = threads_lock_acquire(&sync->progress->lock);
  if (status != THREADS_OK) return threads_fail_as(status, "threads_wait_sync_release");
  let_in(sync->progress, "threads_wait_sync_release");
  parking_destroy(&sync->parking);
  return THREADS_OK;
}

threads_status threads_progress_wake_all(threads_progress *progress, int outcome) {
  if (progress == NULL) return threads_fail_on_null("threads_progress_wake_all", "progress");
  if (outcome == 0) return threads_fail(THREADS_INVALID, "threads_progress_wake_all", "outcome", "it is 0, which is no error", 0);
  threads_status status = threads_lock_acquire(&progress->lock);
  if (status != THREADS_OK) return threads_fail_as(status, "threads_progress_wake_all");
  for (threads_wait_sync *one = progress->first; one != NULL; one = one->next) {
    if (count_of(one) > 0 && complete(one, 0, outcome) != THREADS_OK) status = THREADS_CANNOT_BLOCK;
  }
  let_in(progress, "threads_progress_wake_all");
  return status == THREADS_OK ? status : threads_fail_as(status, "threads_progress_wake_all");
}
