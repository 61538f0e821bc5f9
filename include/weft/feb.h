/* Weft: full/empty bits on any word aligned to 8 bytes. Included by weft.h, whose conventions hold
 * here.
 *
 * A word that no call has touched is full. Its state lies beside the word, not in it, and outlives
 * it: fill a word before its memory is reused, or let a whole range be forgotten (weft_feb_forget;
 * for stacks whose threads end, weft_ext_set_stack_sink). When a word becomes full, all callers
 * that wait to overwrite it are served, then all that wait to read it, and then one that waits to
 * take it; when it becomes empty, one that waits to write it. Callers of each kind are served in
 * the order in which they came.
 *
 * In the names, f is full and e is empty: the first letter is the state that a call waits for, the
 * second one the state that it leaves; xx is neither asked for nor changed. A call that would have
 * to wait returns WEFT_CANNOT_BLOCK in a tasklet, and in a callback (ext.h), instead. A call whose
 * name ends in _until returns WEFT_TIMEOUT when deadline_ns (weft.h, "Time") passes; if it has
 * passed before, the call still does its work if the word has the state that it waits for. (B.
 * Smith, HEP, 1981; the interface is that of Qthreads: Wheeler, Murphy, Thain, 2008,
 * doi:10.1109/IPDPS.2008.4536359) */
#ifndef WEFT_FEB_H /* SPDX-License-Identifier: BSD-3-Clause */
#define WEFT_FEB_H

#include <weft/base.h>

#if defined(__cplusplus)
extern "C" {
#endif

/* Waits until a word is full, copies it, and empties it.
 * out may be null (no copy) or the word itself.
 * Errors: WEFT_INVALID (word is null or not aligned to 8 bytes), WEFT_CANNOT_BLOCK, WEFT_NOMEM (no
 * memory for the state of one more word).
 * Switches: may. Callers: any. */
WEFT_NODISCARD WEFT_API weft_status weft_feb_read_fe(uint64_t *word, uint64_t *out);

/* Waits until a word is full, and copies it.
 * out may be null (no copy) or the word itself.
 * Errors: WEFT_INVALID (word is null or not aligned to 8 bytes), WEFT_CANNOT_BLOCK.
 * Switches: may. Callers: any. */
WEFT_NODISCARD WEFT_API weft_status weft_feb_read_ff(uint64_t *word, uint64_t *out);

/* Waits until a word is empty, writes value to it, and fills it.
 * Errors: WEFT_INVALID (word is null or not aligned to 8 bytes), WEFT_CANNOT_BLOCK, WEFT_NOMEM (no
 * memory for the state of one more word).
 * Switches: may. Callers: any. */
WEFT_NODISCARD WEFT_API weft_status weft_feb_write_ef(uint64_t *word, uint64_t value);

/* Waits until a word is full, writes value to it, and leaves it full.
 * Errors: WEFT_INVALID (word is null or not aligned to 8 bytes), WEFT_CANNOT_BLOCK.
 * Switches: may. Callers: any. */
WEFT_NODISCARD WEFT_API weft_status weft_feb_write_ff(uint64_t *word, uint64_t value);

/* Writes value to a word and fills it, whatever its state.
 * Errors: WEFT_INVALID (word is null or not aligned to 8 bytes).
 * Switches: never. Callers: any. */
WEFT_NODISCARD WEFT_API weft_status weft_feb_write_f(uint64_t *word, uint64_t value);

/* Copies a word whatever its state, which stays as it is.
 * out may be null (no copy) or the word itself. The copy is of one moment, and orders nothing.
 * Errors: WEFT_INVALID (word is null or not aligned to 8 bytes).
 * Switches: never. Callers: any. */
WEFT_NODISCARD WEFT_API weft_status weft_feb_read_xx(const uint64_t *word, uint64_t *out);

/* Copies and empties a word as weft_feb_read_fe does, but waits no longer than until a deadline.
 * out may be null (no copy) or the word itself.
 * Errors: those of weft_feb_read_fe, WEFT_TIMEOUT.
 * Switches: may. Callers: any. */
WEFT_NODISCARD WEFT_API weft_status weft_feb_read_fe_until(uint64_t *word, uint64_t deadline_ns, uint64_t *out);

/* Copies a word as weft_feb_read_ff does, but waits no longer than until a deadline.
 * out may be null (no copy) or the word itself.
 * Errors: those of weft_feb_read_ff, WEFT_TIMEOUT.
 * Switches: may. Callers: any. */
WEFT_NODISCARD WEFT_API weft_status weft_feb_read_ff_until(uint64_t *word, uint64_t deadline_ns, uint64_t *out);

/* Writes and fills a word as weft_feb_write_ef does, but waits no longer than until a deadline.
 * Errors: those of weft_feb_write_ef, WEFT_TIMEOUT.
 * Switches: may. Callers: any. */
WEFT_NODISCARD WEFT_API weft_status weft_feb_write_ef_until(uint64_t *word, uint64_t value, uint64_t deadline_ns);

/* Overwrites a word as weft_feb_write_ff does, but waits no longer than until a deadline.
 * Errors: those of weft_feb_write_ff, WEFT_TIMEOUT.
 * Switches: may. Callers: any. */
WEFT_NODISCARD WEFT_API weft_status weft_feb_write_ff_until(uint64_t *word, uint64_t value, uint64_t deadline_ns);

/* Copies and empties a word if it is full.
 * out may be null (no copy) or the word itself.
 * Errors: WEFT_INVALID (word is null or not aligned to 8 bytes), WEFT_BUSY (the word is empty),
 * WEFT_NOMEM (no memory for the state of one more word).
 * Switches: never. Callers: any. */
WEFT_NODISCARD WEFT_API weft_status weft_feb_try_read_fe(uint64_t *word, uint64_t *out);

/* Copies a word if it is full.
 * out may be null (no copy) or the word itself.
 * Errors: WEFT_INVALID (word is null or not aligned to 8 bytes), WEFT_BUSY (the word is empty).
 * Switches: never. Callers: any. */
WEFT_NODISCARD WEFT_API weft_status weft_feb_try_read_ff(uint64_t *word, uint64_t *out);

/* Writes value to a word and fills it, if it is empty.
 * Errors: WEFT_INVALID (word is null or not aligned to 8 bytes), WEFT_BUSY (the word is full).
 * Switches: never. Callers: any. */
WEFT_NODISCARD WEFT_API weft_status weft_feb_try_write_ef(uint64_t *word, uint64_t value);

/* Writes value to a word if it is full, and leaves it full.
 * Errors: WEFT_INVALID (word is null or not aligned to 8 bytes), WEFT_BUSY (the word is empty).
 * Switches: never. Callers: any. */
WEFT_NODISCARD WEFT_API weft_status weft_feb_try_write_ff(uint64_t *word, uint64_t value);

/* Makes a word full, and leaves its value. Fill a word before its memory is reused.
 * Errors: WEFT_INVALID (word is null or not aligned to 8 bytes).
 * Switches: never. Callers: any. */
WEFT_NODISCARD WEFT_API weft_status weft_feb_fill(uint64_t *word);

/* Makes a word empty, and leaves its value. If a writer waits for the word, it writes and fills it
 * at once.
 * Errors: WEFT_INVALID (word is null or not aligned to 8 bytes), WEFT_NOMEM (no memory for the
 * state of one more word).
 * Switches: never. Callers: any. */
WEFT_NODISCARD WEFT_API weft_status weft_feb_empty(uint64_t *word);

/* Writes 0 to a word and empties it. If a writer waits for the word, it writes and fills it at
 * once.
 * Errors: WEFT_INVALID (word is null or not aligned to 8 bytes), WEFT_NOMEM (no memory for the
 * state of one more word).
 * Switches: never. Callers: any. */
WEFT_NODISCARD WEFT_API weft_status weft_feb_purge(uint64_t *word);

/* Writes value to a word and empties it. If a writer waits for the word, it writes and fills it at
 * once.
 * Errors: WEFT_INVALID (word is null or not aligned to 8 bytes), WEFT_NOMEM (no memory for the
 * state of one more word; the word keeps its value).
 * Switches: never. Callers: any. */
WEFT_NODISCARD WEFT_API weft_status weft_feb_purge_to(uint64_t *word, uint64_t value);

/* Forgets the state of all words in a range of memory, which are full again, as if no call had
 * touched them. Their values are not read, so that the memory may be gone already.
 *
 * The range is the bytes from base on; a word that lies in it in part belongs to it. A word at
 * which a caller or an awaiter waits is not forgotten, while all others are. A range of up to 256
 * words costs a look into the table for each; a longer one costs a walk through the whole table.
 * Errors: WEFT_INVALID (base is null, or the range passes the end of the address space), WEFT_BUSY
 * (a caller waits at a word of the range). Then weft_last_error() names that word, and checked
 * builds write to stderr which thread waits there.
 * Switches: never. Callers: any. */
WEFT_NODISCARD WEFT_API weft_status weft_feb_forget(const void *base, size_t bytes);

/* Tells whether a word is full.
 * Returns: true if it is full at this moment; false for null and for a word not aligned to 8 bytes.
 * Switches: never. Callers: any. */
WEFT_API bool weft_feb_is_full(const uint64_t *word);

#ifdef __cplusplus
}
#endif
#endif
