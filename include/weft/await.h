/* Waits without a thread: a function is called when what is waited for has come. Included by ext.h,
 * whose conventions hold here. For coroutines, senders, select, and requests of other libraries.
 *
 * Words
 *   Awaiter   A record in the caller's memory, which waits in the queues of objects as a thread
 *             would: in the same order, and handed the same things, such as a mutex.
 *   Armed     An awaiter is armed from a call that tells *waits true until the library calls its
 *             ready, or weft_ext_await_cancel returns true. Its memory, and the objects at which it
 *             waits, stay until then.
 *   ready     A callback (ext.h) on the OS thread that ended the wait, which is a worker if a
 *             deadline or a signal handler ended it, and the caller of weft_finalize if the end of
 *             the runtime did. It may make units ready, set and release objects, arm this or
 *             another awaiter, and free this one: the call of ready is the library's last access.
 *             It holds no lock of the thread or OS thread inside whose call it runs, and does not
 *             end a blocking region of that. In it a call that would have to wait returns
 *             WEFT_CANNOT_BLOCK, and checked builds name it. */
#ifndef WEFT_AWAIT_H /* SPDX-License-Identifier: BSD-3-Clause */
#define WEFT_AWAIT_H

#include <weft/weft.h>

#if defined(__cplusplus)
extern "C" {
#endif

/* What an awaiter waits for, and the type of the object. "Value" is that of weft_awaiter; at a
 * weft_syncvar its lowest 60 bits are written. */
typedef enum weft_await_kind {
  WEFT_AWAIT_DEADLINE = 0,           /* null: nothing but the awaiter's deadline */
  WEFT_AWAIT_MUTEX = 1,              /* weft_mutex: the awaiter gets it, locked; any caller may unlock it */
  WEFT_AWAIT_CONDITION = 2,          /* weft_cond: a signal. Arm under the mutex, then unlock it */
  WEFT_AWAIT_SEMAPHORE = 3,          /* weft_semaphore: a token is taken */
  WEFT_AWAIT_EVENT = 4,              /* weft_event, or a latch: it is set */
  WEFT_AWAIT_BARRIER = 5,            /* weft_barrier: the awaiter arrives; value 1: as the last one */
  WEFT_AWAIT_FUTURE = 6,             /* weft_future: weft_future_get then returns at once */
  WEFT_AWAIT_FEB_READ = 7,           /* uint64_t, full: value receives a copy */
  WEFT_AWAIT_FEB_TAKE = 8,           /* uint64_t, full: value receives a copy, and the word is emptied */
  WEFT_AWAIT_FEB_WRITE = 9,          /* uint64_t, empty: value is written, and the word filled */
  WEFT_AWAIT_THREAD = 10,            /* weft_thread: its end; it can then be joined at once */
  WEFT_AWAIT_RWLOCK_READ = 11,       /* weft_rwlock, locked to read; any caller may unlock it */
  WEFT_AWAIT_RWLOCK_WRITE = 12,      /* weft_rwlock, locked to write; any caller may unlock it */
  WEFT_AWAIT_WORD_4 = 13,            /* a word of 4 bytes: weft_word_wake, or that it is not value */
  WEFT_AWAIT_WORD_8 = 14,            /* a word of 8 bytes: weft_word_wake, or that it is not value */
  WEFT_AWAIT_FEB_OVERWRITE = 15,     /* uint64_t, full: value is written, and the word stays full */
  WEFT_AWAIT_SYNCVAR_READ = 16,      /* weft_syncvar, full: value receives a copy */
  WEFT_AWAIT_SYNCVAR_OVERWRITE = 17, /* weft_syncvar, full: value is written; it stays full */
  WEFT_AWAIT_SYNCVAR_TAKE = 18,      /* weft_syncvar, full: value receives a copy; it is emptied */
  WEFT_AWAIT_SYNCVAR_WRITE = 19,     /* weft_syncvar, empty: value is written, and it is filled */
  WEFT_AWAIT_POLLED = 20             /* weft_polled (polled.h): its is_done has returned true */
} weft_await_kind;

/* One of the objects at which an awaiter waits. */
typedef struct weft_await_case {
  void *object;         /* of the type that kind names */
  weft_await_kind kind; /* what is waited for */
  uint64_t value;       /* what the kind asks for; unchanged */
  uint64_t opaque[32];  /* the library's */
} weft_await_case;

/* An awaiter: WEFT_AWAITER_INIT fills one. */
typedef struct weft_awaiter {
  /* Called once for each time that the awaiter was armed, unless that was cancelled. WEFT_OK, or
   * WEFT_TIMEOUT: the deadline passed, or WEFT_ENDED: the runtime ended before the deadline, or
   * weft_finalize_with dropped the thread. */
  void (*ready)(struct weft_awaiter *awaiter, weft_status status);
  uint64_t deadline_ns; /* WEFT_FOREVER: none */
  uint64_t value;       /* what the kind asks for, and what it gives */
  size_t winner;        /* of weft_ext_await_any: the number of the case that was there first */
  uint64_t opaque[42];  /* the library's; the first word is 0 before it is armed first */
} weft_awaiter;

/* An awaiter without a deadline. */
#define WEFT_AWAITER_INIT(ready) {(ready), WEFT_FOREVER, 0, 0, {0}}

/* Arms an awaiter at an object, unless what it waits for is there already.
 *
 * kind says what is waited for; object is of the type that kind names, and must not be a recursive
 * mutex. *waits receives false if the awaiter has what it waited for: then ready is not called.
 * Otherwise it receives true: ready is called once, maybe on another OS thread before this call
 * returns, unless weft_ext_await_cancel returns true. The caller sets awaiter->value and
 * awaiter->deadline_ns before. A deadline needs a runtime: once weft_finalize has waited for the
 * last unit, it ends a wait that has a deadline by WEFT_ENDED; such a wait has taken nothing, and
 * the runtime lets none begin any more.
 * Errors: WEFT_INVALID (awaiter, its ready, object or waits is null; kind is not a value of
 * weft_await_kind; a word is not aligned; the is_done of a weft_polled is null; a recursive mutex;
 * a barrier that was not initialised; a detached thread), WEFT_BUSY (the awaiter is armed; another
 * caller joins the thread), WEFT_TIMEOUT (the deadline has passed), WEFT_NOMEM (as
 * weft_feb_read_fe), WEFT_NOT_INITIALIZED (it has a deadline, or kind is WEFT_AWAIT_THREAD or
 * WEFT_AWAIT_POLLED), WEFT_ENDED (weft_finalize_with dropped the thread). After an error the
 * awaiter is not armed by this call.
 * Switches: never. Callers: any.
 * Undefined: at the same time another call with the awaiter, weft_ext_await_cancel included. */
WEFT_NODISCARD WEFT_API weft_status weft_ext_await(weft_awaiter *awaiter, void *object, weft_await_kind kind, bool *waits);

/* Arms an awaiter at several objects: the one that comes first is the winner.
 *
 * The library asks the count cases in their order. Once there is a winner, it writes the winner's
 * number to awaiter->winner, and what the winner's kind gives to awaiter->value, and takes the
 * awaiter off the queues of the other objects, which stay as they were: no token of theirs is
 * taken. After WEFT_TIMEOUT and WEFT_ENDED winner is count. The array stays as long as the awaiter
 * is armed. All else is as in weft_ext_await.
 * Errors: those of weft_ext_await, for any case, WEFT_INVALID (cases is null, and count is not 0).
 * Switches: never. Callers: any.
 * Undefined: two cases with one mutex, thread or barrier. */
WEFT_NODISCARD WEFT_API weft_status weft_ext_await_any(weft_awaiter *awaiter, weft_await_case *cases, size_t count, bool *waits);

/* Takes an awaiter off its objects.
 *
 * If ready has been called, or is about to be, the call waits until ready has returned, and blocks
 * the calling OS thread; inside that very ready it returns at once. So the caller must not hold a
 * lock that ready takes, and two awaiters must not cancel each other from their ready. Checked
 * builds name an awaiter that was cancelled before. A round of a barrier that ends during the call
 * may still count the arrival of the awaiter, although the call returns true.
 * Returns: true if ready will not be called; false if it was called, and for null or an awaiter
 * that was not armed.
 * Switches: never. Callers: any. */
WEFT_API bool weft_ext_await_cancel(weft_awaiter *awaiter);

#ifdef __cplusplus
}
#endif
#endif
