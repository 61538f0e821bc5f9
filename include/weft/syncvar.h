/* Weft: full/empty words that hold their state themselves. Included by weft.h, whose conventions
 * hold here.
 *
 * A weft_syncvar is 8 bytes with a value of 60 bits, and full or empty. The calls do what those of
 * the same name at words with full/empty bits do (feb.h), and serve waiters in the same order; they
 * need no table, and nothing is left behind when the memory goes. Without waiters a call is one
 * compare-exchange, and a read that leaves the variable full is a load. A variable lives in the
 * user's memory and must not be moved while a caller waits at it. It is full of 0 when it is
 * zero-filled.
 *
 * A call that would have to wait returns WEFT_CANNOT_BLOCK in a tasklet, and in a callback (ext.h),
 * instead. A call whose name ends in _until returns WEFT_TIMEOUT when deadline_ns (weft.h, "Time")
 * passes; if it has passed before, the call still does its work if the variable has the state that
 * it waits for. What a caller has done before it changed a variable is seen by all that find the
 * variable changed.
 *
 * Undefined: a call of feb.h with the address of a variable, except that weft_feb_forget returns
 * WEFT_BUSY while a caller waits at a variable in its range. */
#ifndef WEFT_SYNCVAR_H /* SPDX-License-Identifier: BSD-3-Clause */
#define WEFT_SYNCVAR_H

#include <weft/base.h>

#if defined(__cplusplus)
extern "C" {
#endif

/* A full/empty variable of 60 bits. */
typedef struct weft_syncvar {
  uint64_t opaque[1]; /* the library's own */
} weft_syncvar;

/* The greatest value: 2^60-1. */
#define WEFT_SYNCVAR_MAX (UINT64_MAX >> 4)
/* A full variable with a value, of which the lowest 60 bits count. */
#define WEFT_SYNCVAR_INIT(value) {{(uint64_t)(value) << 4}}
/* An empty variable with the value 0. */
#define WEFT_SYNCVAR_EMPTY_INIT {{4}}

/* Waits until a variable is full, copies its value, and empties it.
 * out may be null: no copy.
 * Errors: WEFT_INVALID (syncvar is null), WEFT_CANNOT_BLOCK, WEFT_NOMEM (no memory for the entry
 * of one more variable at which a caller waits).
 * Switches: may. Callers: any. */
WEFT_NODISCARD WEFT_API weft_status weft_syncvar_read_fe(weft_syncvar *syncvar, uint64_t *out);

/* Waits until a variable is full, and copies its value.
 * out may be null: no copy.
 * Errors: WEFT_INVALID (syncvar is null), WEFT_CANNOT_BLOCK, WEFT_NOMEM (no memory for the entry
 * of one more variable at which a caller waits).
 * Switches: may. Callers: any. */
WEFT_NODISCARD WEFT_API weft_status weft_syncvar_read_ff(weft_syncvar *syncvar, uint64_t *out);

/* Waits until a variable is empty, writes value to it, and fills it.
 * Errors: WEFT_INVALID (syncvar is null; value is greater than WEFT_SYNCVAR_MAX),
 * WEFT_CANNOT_BLOCK, WEFT_NOMEM (no memory for the entry of one more variable at which a caller
 * waits).
 * Switches: may. Callers: any. */
WEFT_NODISCARD WEFT_API weft_status weft_syncvar_write_ef(weft_syncvar *syncvar, uint64_t value);

/* Waits until a variable is full, writes value to it, and leaves it full.
 * Errors: WEFT_INVALID (syncvar is null; value is greater than WEFT_SYNCVAR_MAX),
 * WEFT_CANNOT_BLOCK, WEFT_NOMEM (no memory for the entry of one more variable at which a caller
 * waits).
 * Switches: may. Callers: any. */
WEFT_NODISCARD WEFT_API weft_status weft_syncvar_write_ff(weft_syncvar *syncvar, uint64_t value);

/* Writes value to a variable and fills it, whatever its state.
 * Errors: WEFT_INVALID (syncvar is null; value is greater than WEFT_SYNCVAR_MAX).
 * Switches: never. Callers: any. */
WEFT_NODISCARD WEFT_API weft_status weft_syncvar_write_f(weft_syncvar *syncvar, uint64_t value);

/* Adds increment to a variable's value, modulo 2^60, and fills the variable, whatever its state is.
 * *out receives the sum; out may be null.
 * Errors: WEFT_INVALID (syncvar is null).
 * Switches: never. Callers: any. */
WEFT_NODISCARD WEFT_API weft_status weft_syncvar_add_f(weft_syncvar *syncvar, uint64_t increment, uint64_t *out);

/* Copies the value of a variable whatever its state, which stays as it is.
 * out may be null: no copy. The copy is of one moment, and orders nothing.
 * Errors: WEFT_INVALID (syncvar is null).
 * Switches: never. Callers: any. */
WEFT_NODISCARD WEFT_API weft_status weft_syncvar_read_xx(const weft_syncvar *syncvar, uint64_t *out);

/* Copies and empties a variable as weft_syncvar_read_fe does, but waits no
 * longer than until a deadline.
 * out may be null: no copy.
 * Errors: those of weft_syncvar_read_fe, WEFT_TIMEOUT.
 * Switches: may. Callers: any. */
WEFT_NODISCARD WEFT_API weft_status weft_syncvar_read_fe_until(weft_syncvar *syncvar, uint64_t deadline_ns, uint64_t *out);

/* Copies a variable as weft_syncvar_read_ff does, but waits no
 * longer than until a deadline.
 * out may be null: no copy.
 * Errors: those of weft_syncvar_read_ff, WEFT_TIMEOUT.
 * Switches: may. Callers: any. */
WEFT_NODISCARD WEFT_API weft_status weft_syncvar_read_ff_until(weft_syncvar *syncvar, uint64_t deadline_ns, uint64_t *out);

/* Writes and fills a variable as weft_syncvar_write_ef does, but waits no
 * longer than until a deadline.
 * Errors: those of weft_syncvar_write_ef, WEFT_TIMEOUT.
 * Switches: may. Callers: any. */
WEFT_NODISCARD WEFT_API weft_status weft_syncvar_write_ef_until(weft_syncvar *syncvar, uint64_t value, uint64_t deadline_ns);

/* Overwrites a variable as weft_syncvar_write_ff does, but waits no
 * longer than until a deadline.
 * Errors: those of weft_syncvar_write_ff, WEFT_TIMEOUT.
 * Switches: may. Callers: any. */
WEFT_NODISCARD WEFT_API weft_status weft_syncvar_write_ff_until(weft_syncvar *syncvar, uint64_t value, uint64_t deadline_ns);

/* Copies and empties a variable if it is full.
 * out may be null: no copy.
 * Errors: WEFT_INVALID (syncvar is null), WEFT_BUSY (the variable is empty).
 * Switches: never. Callers: any. */
WEFT_NODISCARD WEFT_API weft_status weft_syncvar_try_read_fe(weft_syncvar *syncvar, uint64_t *out);

/* Copies a variable if it is full.
 * out may be null: no copy.
 * Errors: WEFT_INVALID (syncvar is null), WEFT_BUSY (the variable is empty).
 * Switches: never. Callers: any. */
WEFT_NODISCARD WEFT_API weft_status weft_syncvar_try_read_ff(weft_syncvar *syncvar, uint64_t *out);

/* Writes value to a variable and fills it, if it is empty.
 * Errors: WEFT_INVALID (syncvar is null; value is greater than WEFT_SYNCVAR_MAX), WEFT_BUSY (the
 * variable is full).
 * Switches: never. Callers: any. */
WEFT_NODISCARD WEFT_API weft_status weft_syncvar_try_write_ef(weft_syncvar *syncvar, uint64_t value);

/* Writes value to a variable if it is full, and leaves it full.
 * Errors: WEFT_INVALID (syncvar is null; value is greater than WEFT_SYNCVAR_MAX), WEFT_BUSY (the
 * variable is empty).
 * Switches: never. Callers: any. */
WEFT_NODISCARD WEFT_API weft_status weft_syncvar_try_write_ff(weft_syncvar *syncvar, uint64_t value);

/* Makes a variable full, and leaves its value.
 * Errors: WEFT_INVALID (syncvar is null).
 * Switches: never. Callers: any. */
WEFT_NODISCARD WEFT_API weft_status weft_syncvar_fill(weft_syncvar *syncvar);

/* Makes a variable empty, and leaves its value. If a writer waits for it, that writes and fills it
 * at once.
 * Errors: WEFT_INVALID (syncvar is null).
 * Switches: never. Callers: any. */
WEFT_NODISCARD WEFT_API weft_status weft_syncvar_empty(weft_syncvar *syncvar);

/* Writes 0 to a variable and empties it. If a writer waits for it, that writes and fills it at
 * once.
 * Errors: WEFT_INVALID (syncvar is null).
 * Switches: never. Callers: any. */
WEFT_NODISCARD WEFT_API weft_status weft_syncvar_purge(weft_syncvar *syncvar);

/* Writes value to a variable and empties it. If a writer waits for it, that writes and fills it at
 * once.
 * Errors: WEFT_INVALID (syncvar is null; value is greater than WEFT_SYNCVAR_MAX).
 * Switches: never. Callers: any. */
WEFT_NODISCARD WEFT_API weft_status weft_syncvar_purge_to(weft_syncvar *syncvar, uint64_t value);

/* Tells whether a variable is full.
 * Returns: true if it is full at this moment; false for null.
 * Switches: never. Callers: any. */
WEFT_API bool weft_syncvar_is_full(const weft_syncvar *syncvar);

#ifdef __cplusplus
}
#endif
#endif
