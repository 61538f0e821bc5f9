/* What builders have at one worker: a source that its OS thread alone polls, words of its own, and
 * a wait that holds the worker up. Included by ext.h, whose conventions hold here. For libraries
 * that only one OS thread may call, such as a message layer that is initialised so, for caches and
 * counters without locks, and for tasklets that must wait. */
#ifndef WEFT_AT_WORKER_H /* SPDX-License-Identifier: BSD-3-Clause */
#define WEFT_AT_WORKER_H

#include <weft/weft.h>

#if defined(__cplusplus)
extern "C" {
#endif

/* Something from which units become ready, such as a network. */
typedef struct weft_source weft_source;

/* Adds a source that one worker polls.
 *
 * The call does what weft_ext_source_add does, except that only the OS thread of the worker with
 * the index worker calls poll(state), and that weft_ext_source_notify wakes that worker. As long as
 * the worker runs one unit without a switch, it does not poll. While the source is there,
 * weft_worker_remove and weft_worker_leave of the worker return WEFT_BUSY. *out receives the
 * source.
 * Errors: those of weft_ext_source_add, WEFT_INVALID (no such worker, or it is being removed).
 * Switches: never. Callers: any. */
WEFT_NODISCARD WEFT_API weft_status weft_ext_source_add_at(unsigned worker, size_t (*poll)(void *state), void *state,
                                                           weft_source **out);

/* Reserves a word of 8 bytes in every worker, for the life of the process.
 * 8 words can be reserved altogether. *number receives the number for weft_ext_worker_word.
 * Errors: WEFT_BUSY (the runtime runs), WEFT_INVALID (number is null; all 8 are reserved).
 * Switches: never. Callers: any, before weft_init. */
WEFT_NODISCARD WEFT_API weft_status weft_ext_worker_reserve(unsigned *number);

/* Returns the address of a worker's word, which is 0 when the worker starts.
 * worker is an index, or WEFT_ANY_WORKER: the calling worker. number is one of
 * weft_ext_worker_reserve. The library does not touch the word; callers on other workers read and
 * write it by atomic operations.
 * Returns: the address, valid until the runtime ends; null if there was no such worker, for
 * WEFT_ANY_WORKER outside, for a number that was not reserved, and while the runtime does not run.
 * Switches: never. Callers: any. */
WEFT_API uint64_t *weft_ext_worker_word(int worker, unsigned number);

/* Calls attempt(argument) again and again until it returns true, and rests the OS thread between.
 *
 * It is for callers that must wait and cannot block, such as tasklets, for what has no queue in
 * which to wait, or whose waker may need this worker later. The worker runs no other unit
 * meanwhile. Deadlock reports know the wait: the OS thread is listed with what, a text such as
 * "mutex" that must stay as long as the process, and if nothing else in the process can run, that
 * is told as a deadlock. Under WEFT_SCHEDULE other workers get their turn only by calls in attempt.
 * attempt must not switch. In a ULT, use a call that waits.
 * Errors: WEFT_INVALID (attempt or what is null).
 * Switches: never. Callers: any. */
WEFT_NODISCARD WEFT_API weft_status weft_ext_try_until(bool (*attempt)(void *argument), void *argument, const char *what);

#ifdef __cplusplus
}
#endif
#endif
