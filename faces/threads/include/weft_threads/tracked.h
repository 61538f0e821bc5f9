/* Weft: keys that also work outside, before the start and after the stop, and that know their
 * values: those are freed when the key is deleted. Beside threads.h, whose conventions hold here;
 * lock.h says what "at any time" means. They stand in for thread_local objects of libraries whose
 * callers may be user-level threads. */
#ifndef WEFT_THREADS_TRACKED_H /* SPDX-License-Identifier: BSD-3-Clause */
#define WEFT_THREADS_TRACKED_H

#include <weft_threads/types.h>

#ifdef __cplusplus
extern "C" {
#endif

struct threads_tracked_value;

/* A value that each thread, and each OS thread outside, has for itself. */
typedef struct threads_tracked_key {
  void (*destructor)(void *value);     /* receives values that are not null; may be null */
  struct threads_tracked_value *first; /* the library's own */
  const void *implementation;          /* the library's own */
  uint64_t start;                      /* the library's own */
  threads_key inside;                  /* the library's own */
  uint64_t outside;                    /* the library's own */
} threads_tracked_key;
/* A key with its destructor, of which no thread has a value. */
#define THREADS_TRACKED_KEY_INIT(destructor) {destructor, NULL, NULL, 0, {{0, 0}}, 0}

/* Sets the caller's value of a key.
 *
 * When the caller ends, the key's destructor receives the value, unless that is null; the value of
 * an OS thread outside when the OS thread ends. The caller of threads_start has one value as an OS
 * thread, and one as the thread that it becomes. Tasks of an anonymous list may have their parent's
 * identity (on libweft: weft/hot.h), wherever they run: they then share one value with it, which
 * ends with the parent.
 * Errors: THREADS_INVALID (key is null), THREADS_NOMEM, THREADS_AGAIN (there are too many keys).
 * Switches: never. Callers: at any time. */
THREADS_NODISCARD THREADS_API threads_status threads_tracked_set(threads_tracked_key *key, void *value);

/* Returns the caller's value of a key.
 * Returns: the value; null if the caller never set it, and for null.
 * Switches: never. Callers: at any time. */
THREADS_API void *threads_tracked_get(const threads_tracked_key *key);

/* Deletes a key: its destructor receives every value that is not null, on the calling thread. The
 * key is then as it was initialised.
 * Errors: THREADS_INVALID (key is null).
 * Switches: never. Callers: at any time.
 * Undefined: other calls with the key, and ends of threads that have values, meanwhile. */
THREADS_API threads_status threads_tracked_delete(threads_tracked_key *key);

#ifdef __cplusplus
}
#endif
#endif
