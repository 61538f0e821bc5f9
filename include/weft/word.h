/* Weft: waiting at a word of the program's own, as by a futex. Included by weft.h, whose
 * conventions hold here.
 *
 * A program changes a word by its own atomic operations, and then wakes callers that wait at its
 * address. ULTs, OS threads and awaiters (await.h) wait in one queue, first come, first served. OS
 * threads may call also while the runtime does not run. */
#ifndef WEFT_WORD_H /* SPDX-License-Identifier: BSD-3-Clause */
#define WEFT_WORD_H

#include <weft/base.h>

#if defined(__cplusplus)
extern "C" {
#endif

/* Waits until a weft_word_wake of the same address wakes the caller, if the word still has an
 * expected value.
 *
 * size is 4 or 8; the word is aligned to it, and of expected only so many low bytes count. The
 * value is compared and the caller queued in one step: a weft_word_wake that follows a change of
 * the word is not missed. deadline_ns may be WEFT_FOREVER. A return says nothing of the word's
 * value: the caller loads the word again. Once the caller waits, the word is not read, and its
 * memory may be freed.
 * Errors: WEFT_INVALID (word is null or not aligned; another size), WEFT_AGAIN (the word has
 * another value; the call did not wait), WEFT_TIMEOUT (the deadline passed before a wake-up),
 * WEFT_CANNOT_BLOCK (the caller is a tasklet).
 * Switches: may. Callers: any. */
WEFT_NODISCARD WEFT_API weft_status weft_word_wait(const void *word, size_t size, uint64_t expected, uint64_t deadline_ns);

/* Wakes callers that wait at a word: up to count of them, those that came first.
 * Only the address is looked at, so that the word's memory may be freed already. If word is null,
 * nothing is done.
 * Returns: how many were woken, awaiters included.
 * Switches: never. Callers: any. */
WEFT_API size_t weft_word_wake(const void *word, size_t count);

#ifdef __cplusplus
}
#endif
#endif
