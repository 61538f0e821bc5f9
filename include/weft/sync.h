/* Weft: objects that threads wait at: mutex, condition, read-write lock, semaphore, barrier, event,
 * latch, once and future. Included by weft.h, whose conventions hold here.
 *
 * Every object works for ULTs and OS threads mixed, and for OS threads also while the runtime does
 * not run. It lives in the user's memory, must not be moved while in use, allocates nothing, and is
 * ready when it is zero-filled or set to its INIT; only a barrier needs a call. A call that would
 * have to wait returns WEFT_CANNOT_BLOCK in a tasklet, and in a callback (ext.h), instead. A call
 * whose name ends in _until returns WEFT_TIMEOUT when deadline_ns (weft.h, "Time") passes; if it
 * has passed before, the call still takes what is there. Forks have their forker's identity
 * (hot.h): a recursive mutex that one of them has locked is held by its forker and its siblings,
 * too, while a plain one keeps them apart.
 *
 * Undefined: destroying an object (reusing its memory) that a call is still using, except that a
 * caller that was released by the last unlock, signal or set may destroy the object at once. */
#ifndef WEFT_SYNC_H /* SPDX-License-Identifier: BSD-3-Clause */
#define WEFT_SYNC_H

#include <weft/base.h>

#if defined(__cplusplus)
extern "C" {
#endif

/* ---- mutex ----------------------------------------------------------------------------------- */

/* A lock that one caller holds at a time.
 *
 * Waiters are served in the order in which they came, except that a running caller may take a free
 * lock before a waiter that is just waking. A waiter that lost once in this way is handed the
 * lock. */
typedef struct weft_mutex {
  uint64_t opaque[6]; /* the library's own */
} weft_mutex;

/* A plain mutex. */
#define WEFT_MUTEX_INIT {{0, 0, 0, 0, 0, 0}}
/* A mutex that its holder may lock again, and unlocks as often. */
#define WEFT_MUTEX_RECURSIVE_INIT {{8, 0, 0, 0, 0, 0}}
/* A plain mutex that is never handed over: a waiter that lost tries again, and may lose again. It
 * is for locks that callers try to get in a loop that holds up their worker. */
#define WEFT_MUTEX_UNFAIR_INIT {{0, 0, 0, 0, 1, 0}}
/* A recursive mutex that is never handed over. */
#define WEFT_MUTEX_RECURSIVE_UNFAIR_INIT {{8, 0, 0, 0, 1, 0}}

/* Waits until a mutex is free, and locks it.
 * Errors: WEFT_INVALID (mutex is null), WEFT_CANNOT_BLOCK, WEFT_AGAIN (a recursive mutex that the
 * caller holds 2^32-1 times), WEFT_DEADLOCK (in checked builds: a plain mutex that the caller
 * holds). In release builds that caller waits for itself, which the deadlock report shows when
 * nothing else can run.
 * Switches: may. Callers: any. */
WEFT_NODISCARD WEFT_API weft_status weft_mutex_lock(weft_mutex *mutex);

/* Locks a mutex as weft_mutex_lock does, but waits no longer than until a deadline.
 * Errors: those of weft_mutex_lock, WEFT_TIMEOUT (the caller does not hold the mutex).
 * Switches: may. Callers: any. */
WEFT_NODISCARD WEFT_API weft_status weft_mutex_lock_until(weft_mutex *mutex, uint64_t deadline_ns);

/* Locks a mutex if it is free, or recursive and the caller's.
 * Errors: WEFT_INVALID (mutex is null), WEFT_BUSY (another caller holds it, or the caller holds it
 * and it is plain), WEFT_AGAIN (a recursive mutex that the caller holds 2^32-1 times).
 * Switches: never. Callers: any. */
WEFT_NODISCARD WEFT_API weft_status weft_mutex_try_lock(weft_mutex *mutex);

/* Unlocks a mutex that the caller holds; a recursive one, once.
 * Errors: WEFT_INVALID (mutex is null), WEFT_NOT_OWNER (no caller holds the mutex; or it is
 * recursive, and another caller holds it).
 * Switches: never. Callers: any.
 * Undefined: a plain mutex that another caller holds. */
WEFT_API weft_status weft_mutex_unlock(weft_mutex *mutex);

/* ---- condition ------------------------------------------------------------------------------- */

/* A place to wait at for a change that is made under a mutex. There are no spurious wake-ups. */
typedef struct weft_cond {
  uint64_t opaque[4]; /* the library's own */
} weft_cond;

/* A condition at which no caller waits. */
#define WEFT_COND_INIT {{0, 0, 0, 0}}

/* Releases a mutex, waits for a signal, and locks the mutex again.
 * The caller holds mutex when it calls, and holds it again on return. After an error the call has
 * not waited, and the mutex is as it was. A recursive mutex is released however often the caller
 * holds it, and then held as often again.
 * Errors: WEFT_INVALID (cond or mutex is null), WEFT_CANNOT_BLOCK, WEFT_NOT_OWNER (no caller holds
 * the mutex; for a recursive mutex, and in checked builds for any: the caller does not hold it).
 * Switches: may. Callers: ULTs and OS threads outside.
 * Undefined: a plain mutex that another caller holds. */
WEFT_NODISCARD WEFT_API weft_status weft_cond_wait(weft_cond *cond, weft_mutex *mutex);

/* Waits as weft_cond_wait does, but no longer for the signal than until a deadline.
 * The call releases the mutex even if the deadline has passed already. The caller holds it again on
 * return, also after WEFT_TIMEOUT.
 * Errors: those of weft_cond_wait, WEFT_TIMEOUT (the deadline passed before a signal).
 * Switches: may. Callers: ULTs and OS threads outside.
 * Undefined: a plain mutex that another caller holds. */
WEFT_NODISCARD WEFT_API weft_status weft_cond_wait_until(weft_cond *cond, weft_mutex *mutex, uint64_t deadline_ns);

/* Wakes the caller that has waited at a condition longest, if there is one.
 * The signaller need not hold the mutex.
 * Errors: WEFT_INVALID (cond is null).
 * Switches: never. Callers: any. */
WEFT_API weft_status weft_cond_signal(weft_cond *cond);

/* Wakes all callers that wait at a condition.
 * The signaller need not hold the mutex.
 * Errors: WEFT_INVALID (cond is null).
 * Switches: never. Callers: any. */
WEFT_API weft_status weft_cond_broadcast(weft_cond *cond);

/* Tells whether callers wait at a condition.
 * Returns: true if there are some at this moment, those that were woken not counted; false for
 * null.
 * Switches: never. Callers: any. */
WEFT_API bool weft_cond_has_waiters(const weft_cond *cond);

/* ---- read-write lock ------------------------------------------------------------------------- */

/* A lock that many readers or one writer hold, served in the order in which they came: a reader
 * that comes after a waiting writer waits behind it. Read locks do not nest: a caller that takes a
 * second one waits for itself if a writer has come in between. */
typedef struct weft_rwlock {
  uint64_t opaque[6]; /* the library's own */
} weft_rwlock;

/* A free read-write lock. */
#define WEFT_RWLOCK_INIT {{0, 0, 0, 0, 0, 0}}

/* Waits until no writer holds or awaits a lock, and locks it to read.
 * Errors: WEFT_INVALID (lock is null), WEFT_CANNOT_BLOCK, WEFT_DEADLOCK (in checked builds: the
 * caller holds the lock to write; in release builds it then waits for itself).
 * Switches: may. Callers: any. */
WEFT_NODISCARD WEFT_API weft_status weft_rwlock_read_lock(weft_rwlock *lock);

/* Locks a lock to read as weft_rwlock_read_lock does, but waits no longer than until a deadline.
 * Errors: those of weft_rwlock_read_lock, WEFT_TIMEOUT (the caller does not hold the lock).
 * Switches: may. Callers: any. */
WEFT_NODISCARD WEFT_API weft_status weft_rwlock_read_lock_until(weft_rwlock *lock, uint64_t deadline_ns);

/* Locks a lock to read if no writer holds or awaits it.
 * Errors: WEFT_INVALID (lock is null), WEFT_BUSY (a writer holds or awaits it).
 * Switches: never. Callers: any. */
WEFT_NODISCARD WEFT_API weft_status weft_rwlock_try_read_lock(weft_rwlock *lock);

/* Waits until a lock is free, and locks it to write.
 * Errors: WEFT_INVALID (lock is null), WEFT_CANNOT_BLOCK, WEFT_DEADLOCK (in checked builds: the
 * caller holds the lock to write; in release builds it then waits for itself).
 * Switches: may. Callers: any. */
WEFT_NODISCARD WEFT_API weft_status weft_rwlock_write_lock(weft_rwlock *lock);

/* Locks a lock to write as weft_rwlock_write_lock does, but waits no longer than until a deadline.
 * Errors: those of weft_rwlock_write_lock, WEFT_TIMEOUT (the caller does not hold the lock).
 * Switches: may. Callers: any. */
WEFT_NODISCARD WEFT_API weft_status weft_rwlock_write_lock_until(weft_rwlock *lock, uint64_t deadline_ns);

/* Locks a lock to write if no caller holds or awaits it.
 * Errors: WEFT_INVALID (lock is null), WEFT_BUSY (a caller holds or awaits it).
 * Switches: never. Callers: any. */
WEFT_NODISCARD WEFT_API weft_status weft_rwlock_try_write_lock(weft_rwlock *lock);

/* Unlocks a lock that the caller holds to read or to write.
 * Errors: WEFT_INVALID (lock is null), WEFT_NOT_OWNER (no caller holds the lock; in checked builds
 * also: another caller holds it to write).
 * Switches: never. Callers: any.
 * Undefined: a lock that only other callers hold. */
WEFT_API weft_status weft_rwlock_unlock(weft_rwlock *lock);

/* ---- semaphore ------------------------------------------------------------------------------- */

/* A count of tokens that callers take and give back, served in the order in which they came. */
typedef struct weft_semaphore {
  uint64_t opaque[4]; /* the library's own */
} weft_semaphore;

/* A semaphore with count tokens. */
#define WEFT_SEMAPHORE_INIT(count) {{(uint64_t)(count), 0, 0, 0}}

/* A semaphore with count tokens that signal handlers release. A signal may always wake a thread
 * that waits at it, so no deadlock is reported while a thread waits there. */
#define WEFT_SEMAPHORE_INIT_FOR_HANDLERS(count) {{(uint64_t)(count) | (uint64_t)1 << 61, 0, 0, 0}}

/* Waits until a semaphore has a token, and takes it.
 * Errors: WEFT_INVALID (semaphore is null), WEFT_CANNOT_BLOCK.
 * Switches: may. Callers: any. */
WEFT_NODISCARD WEFT_API weft_status weft_semaphore_acquire(weft_semaphore *semaphore);

/* Takes a token as weft_semaphore_acquire does, but waits no longer than until a deadline.
 * Errors: those of weft_semaphore_acquire, WEFT_TIMEOUT (the caller has no token).
 * Switches: may. Callers: any. */
WEFT_NODISCARD WEFT_API weft_status weft_semaphore_acquire_until(weft_semaphore *semaphore, uint64_t deadline_ns);

/* Takes a token of a semaphore if there is one.
 * Errors: WEFT_INVALID (semaphore is null), WEFT_BUSY (there is none).
 * Switches: never. Callers: any. */
WEFT_NODISCARD WEFT_API weft_status weft_semaphore_try_acquire(weft_semaphore *semaphore);

/* Gives count tokens to a semaphore: first to its waiters, which it wakes, the rest to later
 * callers.
 * The caller need not have taken a token before.
 * Errors: WEFT_INVALID (semaphore is null; or it would have more than 2^32-1 tokens).
 * Switches: never. Callers: any. */
WEFT_API weft_status weft_semaphore_release(weft_semaphore *semaphore, uint32_t count);

/* Gives count tokens to a semaphore, as weft_semaphore_release does, from a signal handler.
 *
 * The call is lock-free and async-signal-safe, and leaves errno as it was. A ULT that it wakes is
 * made ready by a worker: at once if a worker is idle, else by the first one that has switched some
 * 64 times. After the first such call for a semaphore, no deadlock is reported while a thread waits
 * there; with WEFT_SEMAPHORE_INIT_FOR_HANDLERS, none is before, either.
 * Errors: those of weft_semaphore_release.
 * Switches: never. Callers: any, signal handlers included. */
WEFT_API weft_status weft_semaphore_release_from_handler(weft_semaphore *semaphore, uint32_t count);

/* ---- barrier --------------------------------------------------------------------------------- */

/* A place where a fixed number of callers wait for each other, again and again. */
typedef struct weft_barrier {
  uint64_t opaque[6]; /* the library's own */
} weft_barrier;

/* Makes a barrier for a number of parties, in memory whose content does not matter.
 * Errors: WEFT_INVALID (barrier is null; parties is 0).
 * Switches: never. Callers: any.
 * Undefined: a barrier at which a caller waits. */
WEFT_NODISCARD WEFT_API weft_status weft_barrier_init(weft_barrier *barrier, uint32_t parties);

/* Waits until as many callers have come as the barrier has parties.
 * last may be null; *last receives true in exactly one of the callers, and false in the others. The
 * barrier may be entered again at once.
 * Errors: WEFT_INVALID (barrier is null, or was never initialised), WEFT_CANNOT_BLOCK (the caller
 * is not the last one, and is not counted).
 * Switches: may. Callers: any. */
WEFT_NODISCARD WEFT_API weft_status weft_barrier_wait(weft_barrier *barrier, bool *last);

/* ---- event and latch ------------------------------------------------------------------------- */

/* Something that happens once and that any number of callers wait for. A latch is an event that a
 * count sets. */
typedef struct weft_event {
  uint64_t opaque[4]; /* the library's own */
} weft_event;

/* An event that is not set. */
#define WEFT_EVENT_INIT {{0, 0, 0, 0}}
/* A latch that is set when it has been counted down count times; a latch of 0 is set at once. */
#define WEFT_LATCH_INIT(count) {{((uint64_t)(count) << 32) | ((count) == 0), 0, 0, 0}}

/* Waits until an event or a latch is set.
 * Errors: WEFT_INVALID (event is null), WEFT_CANNOT_BLOCK.
 * Switches: may. Callers: any. */
WEFT_NODISCARD WEFT_API weft_status weft_event_wait(weft_event *event);

/* Waits until an event or a latch is set, but no longer than until a deadline.
 * Errors: those of weft_event_wait, WEFT_TIMEOUT.
 * Switches: may. Callers: any. */
WEFT_NODISCARD WEFT_API weft_status weft_event_wait_until(weft_event *event, uint64_t deadline_ns);

/* Tells whether an event or a latch is set.
 * Returns: true if it is set, and then the caller sees what was done before it was set; false for
 * null.
 * Switches: never. Callers: any. */
WEFT_API bool weft_event_is_set(const weft_event *event);

/* Sets an event and wakes its waiters. An event that is set remains so.
 * A latch is then set, too, whatever was left of its count.
 * Errors: WEFT_INVALID (event is null).
 * Switches: never. Callers: any. */
WEFT_API weft_status weft_event_set(weft_event *event);

/* Makes an event one that is not set, to be used again. A latch becomes a plain event.
 * Errors: WEFT_INVALID (event is null).
 * Switches: never. Callers: any.
 * Undefined: an event whose waiters have not all returned from their waits. */
WEFT_API weft_status weft_event_reset(weft_event *event);

/* Takes count from what is left of a latch, and sets the latch, waking its waiters, when nothing is
 * left.
 * Errors: WEFT_INVALID (latch is null, or has less than count left, as one that is set).
 * Switches: never. Callers: any. */
WEFT_API weft_status weft_latch_count_down(weft_event *latch, uint32_t count);

/* ---- once ------------------------------------------------------------------------------------ */

/* Whether a function that shall run once has run. */
typedef struct weft_once {
  uint64_t opaque[4]; /* the library's own */
} weft_once;

/* A function that has not run. */
#define WEFT_ONCE_INIT {{0, 0, 0, 0}}

/* Runs function(argument) in the first caller; the other callers wait until it has returned.
 * function runs on the first caller's stack, with its identity, and may switch if that caller may.
 * Later calls with once return at once.
 * Errors: WEFT_INVALID (once or function is null), WEFT_CANNOT_BLOCK (the function is running in
 * another caller).
 * Switches: may. Callers: any.
 * Undefined: function calls weft_once_call with once again, or throws an exception. */
WEFT_NODISCARD WEFT_API weft_status weft_once_call(weft_once *once, weft_function function, void *argument);

/* ---- future ---------------------------------------------------------------------------------- */

/* A value that one caller sets once and that many read. */
typedef struct weft_future {
  uint64_t opaque[5]; /* the library's own */
} weft_future;

/* A future without a value. */
#define WEFT_FUTURE_INIT {{0, 0, 0, 0, 0}}

/* Sets the value of a future and wakes its readers.
 * The library stores value and does not look at what it points to, which remains the program's.
 * Errors: WEFT_INVALID (future is null), WEFT_BUSY (another caller has set it, or is setting it).
 * Switches: never. Callers: any. */
WEFT_API weft_status weft_future_set(weft_future *future, void *value);

/* Waits until a future has a value, and stores it in *out.
 * Errors: WEFT_INVALID (future or out is null), WEFT_CANNOT_BLOCK.
 * Switches: may. Callers: any. */
WEFT_NODISCARD WEFT_API weft_status weft_future_get(weft_future *future, void **out);

/* Waits until a future has a value, but no longer than until a deadline, and stores the value in
 * *out.
 * Errors: those of weft_future_get, WEFT_TIMEOUT (*out is untouched).
 * Switches: may. Callers: any. */
WEFT_NODISCARD WEFT_API weft_status weft_future_get_until(weft_future *future, uint64_t deadline_ns, void **out);

/* Tells whether a future has a value.
 * Returns: true if it has, and then weft_future_get returns at once; false otherwise, and for null.
 * Switches: never. Callers: any. */
WEFT_API bool weft_future_is_set(const weft_future *future);

#ifdef __cplusplus
}
#endif
#endif
