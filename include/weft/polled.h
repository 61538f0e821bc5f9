/* Weft: waiting for a condition that only polling can see, such as a stream of a GPU, a request of
 * a message library, or a queue of a device. Included by weft.h, whose conventions hold here. */
#ifndef WEFT_POLLED_H /* SPDX-License-Identifier: BSD-3-Clause */
#define WEFT_POLLED_H

#include <weft/base.h>

#if defined(__cplusplus)
extern "C" {
#endif

/* A condition, also for awaiters (await.h: WEFT_AWAIT_POLLED).
 * Workers call is_done(argument) as long as a caller waits, one worker at a time, in no thread's
 * name: it is to be short, must not wait, and calls no function of Weft. While it is called, its
 * worker runs nothing else and no other condition is polled; only a caller that ends the wait for
 * this condition, by a deadline or a cancel, waits until it has returned. Once it has returned true
 * it is not called again, but the wait may have ended otherwise meanwhile: of an awaiter that has a
 * deadline or several cases it must change nothing. */
typedef struct weft_polled {
  bool (*is_done)(void *argument); /* whether it has come */
  void *argument;                  /* what is_done is given */
} weft_polled;

/* Waits until is_done(argument) returns true.
 * The caller calls it once. If it returns false, the caller parks, and one worker polls the
 * conditions of all that wait, 64 at a time, between the threads that it runs. An idle worker
 * sleeps between two rounds: the longer nothing has come, the longer, from 2 microseconds to 1
 * millisecond, and at most an eighth of the time that nothing has come. An OS thread outside polls
 * by itself in the same way. deadline_ns may be WEFT_FOREVER. After WEFT_TIMEOUT is_done is not
 * called any more for this call.
 * Errors: WEFT_INVALID (is_done is null), WEFT_TIMEOUT (the deadline passed before is_done returned
 * true), WEFT_CANNOT_BLOCK (the caller is a tasklet, and is_done returned false).
 * Switches: may. Callers: any, also without a runtime; a callback is refused as a tasklet is.
 * Undefined: is_done waits, calls a function of Weft, or throws. */
WEFT_NODISCARD WEFT_API weft_status weft_wait_poll(bool (*is_done)(void *argument), void *argument, uint64_t deadline_ns);

#if defined(__cplusplus)
}
#endif
#endif
