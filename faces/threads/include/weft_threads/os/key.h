/* Weft: threads_key_* on OS threads: values belong to tasks, of which an OS thread runs many. */
#ifndef WEFT_THREADS_OS_KEY_H /* SPDX-License-Identifier: BSD-3-Clause */
#define WEFT_THREADS_OS_KEY_H

#include <weft_threads/types.h>

#ifdef __cplusplus
extern "C" {
#endif
THREADS_NODISCARD THREADS_API threads_status threads_os_key_create(void (*destructor)(void *value), threads_key *out);
THREADS_NODISCARD THREADS_API threads_status threads_os_key_delete(threads_key key);
THREADS_NODISCARD THREADS_API threads_status threads_os_key_set(threads_key key, void *value);
THREADS_API void *threads_os_key_get(threads_key key);
#ifdef __cplusplus
}
#endif

THREADS_NODISCARD static inline threads_status threads_key_create(void (*destructor)(void *value), threads_key *out) {
  return threads_os_key_create(destructor, out);
}

THREADS_NODISCARD static inline threads_status threads_key_delete(threads_key key) { return threads_os_key_delete(key); }
THREADS_NODISCARD static inline threads_status threads_key_set(threads_key key, void *value) {
  return threads_os_key_set(key, value);
}
static inline void *threads_key_get(threads_key key) { return threads_os_key_get(key); }

#endif
