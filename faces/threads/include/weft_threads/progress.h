/* Weft: waits of a message layer: a caller that waits for a message calls the layer's progress
 * meanwhile, at most so many at once, and the others park. Beside threads.h, whose conventions hold
 * here; lock.h says what "at any time" means.
 *
 *   static threads_progress network = THREADS_PROGRESS_INIT(poll_network, NULL, 1);
 *   void wait_for(request *one) {
 *     int outcome = 0;
 *     threads_wait_sync_init(&one->sync, &network, 1);
 *     if (threads_wait_sync_wait(&one->sync, &outcome) != THREADS_OK) abort();
 *   }
 *
 * When the message is there, the network calls threads_wait_sync_update(&one->sync, 1, 0).
 *
 * A progress function returns how much it has done, and must not wait at an object of its own
 * threads_progress. While it returns 0, its caller yields between calls.
 *
 * Tasklets and callbacks of libweft's call threads_wait_sync_init and threads_wait_sync_is_done
 * alone: another call ends the program with a line where it would have to wait and others could not
 * go on without it. */
#ifndef WEFT_THREADS_PROGRESS_H /* SPDX-License-Identifier: BSD-3-Clause */
#define WEFT_THREADS_PROGRESS_H

#include <weft_threads/lock.h>

#ifdef __cplusplus
extern "C" {
#endif

struct threads_wait_sync;

/* What those that wait call, and the list of them.
 * Undefined: to end its life before that of a wait-sync that was initialised with it. */
typedef struct threads_progress {
  int (*make)(void *argument);     /* the progress function; null: those that wait only park */
  void *argument;                  /* what that is called with */
  unsigned most;                   /* at most so many callers at once are in make; 0 is as 1 */
  unsigned making;                 /* the library's own */
  threads_lock lock;               /* the library's own */
  struct threads_wait_sync *first; /* the library's own */
  struct threads_wait_sync *last;  /* the library's own */
} threads_progress;
/* A progress with its function, at which no caller waits. */
#define THREADS_PROGRESS_INIT(make, argument, most) {make, argument, most, 0, THREADS_LOCK_INIT, NULL, NULL}

/* What a caller waits for: as many updates as it was initialised with, or one with an error. It may
 * lie on the caller's stack. */
typedef struct threads_wait_sync {
  threads_progress *progress;         /* as it was initialised */
  int32_t count;                      /* the library's own */
  int32_t outcome;                    /* the library's own */
  uint32_t woken;                     /* the library's own */
  bool is_parked;                     /* the library's own */
  bool is_promoted;                   /* the library's own */
  bool is_in_cond;                    /* the library's own */
  struct threads_wait_sync *next;     /* the library's own */
  struct threads_wait_sync *previous; /* the library's own */
  struct threads_wait_sync *behind;   /* the library's own */
  threads_parking parking;            /* the library's own */
} threads_wait_sync;

/* Makes a wait-sync that waits for count updates; for 0, it is done.
 * Errors: THREADS_INVALID (sync or progress is null; count is negative).
 * Switches: never. Callers: at any time. */
THREADS_API threads_status threads_wait_sync_init(threads_wait_sync *sync, threads_progress *progress, int32_t count);

/* Waits until a wait-sync is done.
 *
 * As long as fewer than progress->most callers call the progress function, the caller does;
 * otherwise it parks, until the wait-sync is done or a caller that made progress has what it waited
 * for, and promotes the one that has waited longest. When the call returns, the updater uses the
 * wait-sync no more. *outcome, which may be null, receives 0, or what an update said.
 * Errors: THREADS_INVALID (sync is null).
 * Switches: may. Callers: at any time, one for each wait-sync.
 * Undefined: a tasklet or a callback of libweft's. */
THREADS_NODISCARD THREADS_API threads_status threads_wait_sync_wait(threads_wait_sync *sync, int *outcome);

/* Takes updates off the count of a wait-sync. It is done when none are left, or when outcome is not
 * 0, which its waiter then receives.
 * Errors: THREADS_INVALID (sync is null; updates is negative).
 * Switches: may. Callers: at any time, and progress functions.
 * Undefined: a wait-sync that was done before; a tasklet or a callback of libweft's. */
THREADS_API threads_status threads_wait_sync_update(threads_wait_sync *sync, int32_t updates, int outcome);

/* Tells whether a wait-sync is done. A caller that polls calls threads_wait_sync_release before it
 * uses the memory again: the updater may still use it.
 * Returns: true if no update is wanted any more; also for null.
 * Switches: never. Callers: at any time. */
THREADS_API bool threads_wait_sync_is_done(const threads_wait_sync *sync);

/* Waits until the updater is through with a wait-sync that is done, and frees what an
 * implementation may have attached to it.
 * Errors: THREADS_INVALID (sync is null), THREADS_BUSY (it is not done).
 * Switches: may. Callers: at any time.
 * Undefined: a tasklet or a callback of libweft's. */
THREADS_API threads_status threads_wait_sync_release(threads_wait_sync *sync);

/* Ends all waits of a progress: each waiter receives outcome. For a connection that is lost.
 * Errors: THREADS_INVALID (progress is null; outcome is 0).
 * Switches: may. Callers: at any time, and progress functions.
 * Undefined: a tasklet or a callback of libweft's. */
THREADS_API threads_status threads_progress_wake_all(threads_progress *progress, int outcome);

/* ---- condition ------------------------------------------------------------------------------- */

/* A condition whose waiters make progress. All calls for one condition are made under one lock. */
typedef struct threads_progress_cond {
  threads_wait_sync *first; /* the library's own */
  threads_wait_sync *last;  /* the library's own */
} threads_progress_cond;
/* A condition at which no caller waits. */
#define THREADS_PROGRESS_COND_INIT {NULL, NULL}

/* Releases a lock, waits for a signal and makes progress meanwhile, and takes the lock again.
 * The caller holds lock once. A wake-up by threads_progress_wake_all is spurious here.
 * Errors: THREADS_INVALID (cond, lock or progress is null; the caller holds lock, a recursive one,
 * more than once), THREADS_NOT_OWNER (no caller holds lock, or it is recursive and another caller
 * does).
 * Switches: may. Callers: at any time.
 * Undefined: a tasklet or a callback of libweft's. */
THREADS_NODISCARD THREADS_API threads_status threads_progress_cond_wait(threads_progress_cond *cond, threads_lock *lock,
                                                                        threads_progress *progress);

/* Releases a lock, waits for a signal or until a deadline passes and makes progress meanwhile, and
 * takes the lock again.
 * The caller holds lock once, also after THREADS_TIMEOUT. The clock is that of threads_now_ns; a
 * progress function that does not return holds its caller up. After the deadline the call makes no
 * progress. A wake-up by threads_progress_wake_all is spurious here.
 * Errors: those of threads_progress_cond_wait, THREADS_TIMEOUT.
 * Switches: may. Callers: at any time.
 * Undefined: a tasklet or a callback of libweft's. */
THREADS_NODISCARD THREADS_API threads_status threads_progress_cond_wait_until(threads_progress_cond *cond, threads_lock *lock,
                                                                              threads_progress *progress, uint64_t deadline_ns);

/* Wakes the caller that has waited at a condition longest.
 * Errors: THREADS_INVALID (cond is null).
 * Switches: may. Callers: at any time, under the waiters' lock.
 * Undefined: a tasklet or a callback of libweft's. */
THREADS_API threads_status threads_progress_cond_signal(threads_progress_cond *cond);

/* Wakes all callers that wait at a condition.
 * Errors: THREADS_INVALID (cond is null).
 * Switches: may. Callers: at any time, under the waiters' lock.
 * Undefined: a tasklet or a callback of libweft's. */
THREADS_API threads_status threads_progress_cond_broadcast(threads_progress_cond *cond);

/* ---- turns ----------------------------------------------------------------------------------- */

/* A turn that one caller has at a time, while others wait for it and make progress.
 * Undefined: to end its life while a caller has it, waits for it, or gives it back. */
typedef struct threads_turn {
  threads_lock lock;          /* the library's own */
  threads_progress_cond cond; /* the library's own */
  bool is_taken;              /* the library's own */
} threads_turn;
/* A turn that no caller has. */
#define THREADS_TURN_INIT {THREADS_LOCK_INIT, THREADS_PROGRESS_COND_INIT, false}

/* Waits until no caller has a turn, makes progress meanwhile, and takes it.
 * Errors: THREADS_INVALID (turn or progress is null).
 * Switches: may. Callers: at any time.
 * Undefined: a tasklet or a callback of libweft's. */
THREADS_NODISCARD THREADS_API threads_status threads_turn_acquire(threads_turn *turn, threads_progress *progress);

/* Gives a turn back and wakes one that waits for it. Another caller may do so for the one that has
 * the turn, such as a progress function when a message has come.
 * Errors: THREADS_INVALID (turn is null), THREADS_NOT_OWNER (no caller has it).
 * Switches: may. Callers: at any time, and progress functions.
 * Undefined: a tasklet or a callback of libweft's. */
THREADS_API threads_status threads_turn_release(threads_turn *turn);

#ifdef __cplusplus
}
#endif
#endif
