/* Weft: status, time, and the handles that the other headers share. Included by weft.h, whose
 * conventions hold here. */
#ifndef WEFT_BASE_H /* SPDX-License-Identifier: BSD-3-Clause */
#define WEFT_BASE_H

#include <weft/detail/platform.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <weft/version.h>

#if defined(__cplusplus)
/* Marks a call whose result must be looked at. */
#define WEFT_NODISCARD [[nodiscard]]
extern "C" {
#else
/* Marks a call whose result must be looked at. */
#define WEFT_NODISCARD __attribute__((warn_unused_result))
#endif
/* Marks what the library exports. */
#define WEFT_API __attribute__((visibility("default")))

/* A ULT or a tasklet. */
typedef struct weft_thread weft_thread;
/* A queue of ready units. */
typedef struct weft_pool weft_pool;
/* What a thread, a tasklet or weft_once_call runs. */
typedef void (*weft_function)(void *argument);

/* ---- status ---------------------------------------------------------------------------------- */

/* What a call that can fail returns. */
typedef enum weft_status {
  WEFT_OK = 0,              /* the call has done what its comment says */
  WEFT_NOMEM = 1,           /* memory, or address space for a stack, is exhausted */
  WEFT_INVALID = 2,         /* an argument is not valid: weft_last_error() says which, and why */
  WEFT_BUSY = 3,            /* the object is held, or the thread has not ended: try again later */
  WEFT_TIMEOUT = 4,         /* the deadline passed */
  WEFT_AGAIN = 5,           /* the system refused a resource for now (an OS thread, a descriptor) */
  WEFT_UNSUPPORTED = 6,     /* this kernel, CPU, build or process (a child of fork) cannot do it */
  WEFT_NOT_INITIALIZED = 7, /* weft_init has not been called, or weft_finalize has */
  WEFT_CANNOT_BLOCK = 8,    /* the caller is a tasklet or a callback, which must not wait */
  WEFT_NOT_OWNER = 9,       /* the caller does not hold the lock, or may not act on this object */
  WEFT_DEADLOCK = 10,       /* the call would wait for its own caller */
  WEFT_ENDED = 11           /* the object was closed or destroyed, or the runtime ended, while the call waited */
} weft_status;

/* Returns the name of a status.
 * Returns: a static string such as "WEFT_NOMEM"; "WEFT_?" for a number that is no status.
 * Switches: never. Callers: any, signal handlers included. */
WEFT_API const char *weft_status_name(weft_status status);

/* Returns what a status means. weft_last_error() says what was wrong with a certain call.
 * Returns: a static string of one sentence, never null.
 * Switches: never. Callers: any, signal handlers included. */
WEFT_API const char *weft_status_text(weft_status status);

/* Returns what was wrong with the caller's last call that returned another status than WEFT_OK.
 * The text has the name of that call, the argument, its value, and the one cause, such as
 *   weft_thread_create: argument attr: priority is 16; at most 15 is possible
 *   weft_mutex_unlock: argument mutex (0x7f3c5a0010c0): no caller holds it
 * Every ULT, every tasklet and every OS thread outside has a last error of its own, which a ULT
 * takes along to other workers. A fork belongs to the ULT that runs it. Calls that succeed leave
 * the last error as it is: look at it only after a call that failed. The words are meant for people
 * and may change; programs test the status.
 * Returns: a string that stays until the caller's next failure or end; "" if no call has failed.
 * Switches: never. Callers: any. */
WEFT_API const char *weft_last_error(void);

/* ---- time ------------------------------------------------------------------------------------ */

/* The deadline that never passes. */
#define WEFT_FOREVER UINT64_MAX

/* Returns the time now.
 * Returns: nanoseconds of the monotonic clock; on a worker under WEFT_SCHEDULE, of the schedule's
 * own clock.
 * Switches: never. Callers: any. */
WEFT_API uint64_t weft_now_ns(void);

/* Returns the deadline that passes after an interval.
 * interval_ns is in nanoseconds.
 * Returns: now plus the interval; WEFT_FOREVER where the sum would exceed it.
 * Switches: never. Callers: any. */
WEFT_API uint64_t weft_deadline_in(uint64_t interval_ns);

#ifdef __cplusplus
}
#endif
#endif
