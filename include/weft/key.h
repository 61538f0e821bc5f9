/* Weft: values of a thread's own. Included by weft.h, whose conventions hold here. */
#ifndef WEFT_KEY_H /* SPDX-License-Identifier: BSD-3-Clause */
#define WEFT_KEY_H

#include <weft/base.h>

#if defined(__cplusplus)
extern "C" {
#endif

/* Names a value that each thread has for itself. */
typedef struct weft_key {
  uint32_t index;      /* the library's own */
  uint32_t generation; /* the library's own */
} weft_key;

/* Creates a key.
 *
 * destructor may be null. When a thread ends, the library calls destructor(value) for each value of
 * the key that is not null, in up to 4 rounds while values remain. It runs as the last part of that
 * thread, with its identity. An OS thread outside has values of its own, and its destructors run
 * when it ends. A fork (hot.h) uses the values of its forker; a callback (ext.h) those of the OS
 * thread. *out receives the key, which outlives the runtime.
 * Errors: WEFT_INVALID (out is null), WEFT_AGAIN (there are 1024 keys).
 * Switches: never. Callers: any. */
WEFT_NODISCARD WEFT_API weft_status weft_key_create(void (*destructor)(void *value), weft_key *out);

/* Deletes a key. No destructor runs: the library forgets the values, which the program frees
 * itself.
 * Errors: WEFT_INVALID (the key was deleted, or never created).
 * Switches: never. Callers: any. */
WEFT_NODISCARD WEFT_API weft_status weft_key_delete(weft_key key);

/* Sets the caller's value of a key.
 * The library stores value, which may be null, and calls no destructor for the earlier value. When
 * the caller ends, the key's destructor, if there is one, receives value, unless value is null.
 * Errors: WEFT_INVALID (the key was deleted, or never created), WEFT_NOMEM.
 * Switches: never. Callers: any. */
WEFT_NODISCARD WEFT_API weft_status weft_key_set(weft_key key, void *value);

/* Returns the caller's value of a key.
 * Returns: the value; null if the caller never set it, or the key was deleted or never created.
 * Switches: never. Callers: any. */
WEFT_API void *weft_key_get(weft_key key);

#ifdef __cplusplus
}
#endif
#endif
