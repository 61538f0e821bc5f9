/* What builders have at one worker: a source that its OS thread alone polls, and words of its own.
 * Included by ext.h, whose conventions hold here. For libraries that only one OS thread may call,
 * such as a message layer that is initialised so, and for caches and counters without locks. */
#ifndef WEFT_AT_WORKER_H
#define WEFT_AT_WORKER_H

#include <weft/weft.h>

#if defined(__cplusplus)
extern "C" {
#endif

/* Something from which units become ready, such as a network. */
typedef struct weft_source weft_source;

/* Adds a source that one worker polls.
 *
 * It is what weft_ext_source_add adds, except that the OS thread of worker alone calls poll(state),
 * and is woken by weft_ext_source_notify. While that worker stays in one unit, the source waits.
 * The worker cannot be removed, nor leave, as long as the source is there (WEFT_BUSY). *out
 * receives the source.
 * Errors: those of weft_ext_source_add, WEFT_INVALID (no such worker, or it is being removed).
 * Switches: never. Callers: any. */
WEFT_NODISCARD WEFT_API weft_status weft_ext_source_add_at(unsigned worker, size_t (*poll)(void *state), void *state,
                                                           weft_source **out);

/* Reserves a word of 8 bytes in every worker, for the life of the process.
 * 8 words can be reserved altogether. *number receives the number for weft_ext_worker_word.
 * Errors: WEFT_BUSY (the runtime runs), WEFT_INVALID (number is null; none is left).
 * Switches: never. Callers: any, before weft_init. */
WEFT_NODISCARD WEFT_API weft_status weft_ext_worker_reserve(unsigned *number);

/* Returns the address of a worker's word, which is 0 when the worker comes.
 * worker is an index, or WEFT_ANY_WORKER: the calling worker. number is one of
 * weft_ext_worker_reserve. The library does not touch the word; callers on other workers read and
 * write it by atomic operations.
 * Returns: the address, good until the runtime ends; null if there was no such worker, outside, and
 * for another number.
 * Switches: never. Callers: any. */
WEFT_API uint64_t *weft_ext_worker_word(int worker, unsigned number);

#ifdef __cplusplus
}
#endif
#endif
