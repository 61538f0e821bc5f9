/* Weft: threads_key_* on libweft, inlined. */
#ifndef WEFT_THREADS_WEFT_KEY_H /* SPDX-License-Identifier: BSD-3-Clause */
#define WEFT_THREADS_WEFT_KEY_H

#include <weft_threads/detail/fail.h>
#include <weft_threads/weft/thread.h>

#ifdef __cplusplus
extern "C" {
#endif
/* Functions of the library that the inline functions below call. */
THREADS_API threads_status threads_weft_key_create(void (*destructor)(void *value), threads_key *out);
THREADS_API threads_status threads_weft_key_delete(threads_key key);
#ifdef __cplusplus
}
#endif

static inline weft_key threads_weft_key(threads_key key) {
  const weft_key its = {(uint32_t)key.opaque[0], (uint32_t)key.opaque[1]};
  return its;
}

THREADS_NODISCARD static inline threads_status threads_key_create(void (*destructor)(void *value), threads_key *out) {
  if (out == NULL) return threads_fail_on_null("threads_key_create", "out");
  return threads_weft_key_create(destructor, out);
}

THREADS_NODISCARD static inline threads_status threads_key_delete(threads_key key) { return threads_weft_key_delete(key); }

THREADS_NODISCARD static inline threads_status threads_key_set(threads_key key, void *value) {
  return threads_of_weft(weft_key_set(threads_weft_key(key), value));
}

static inline void *threads_key_get(threads_key key) { return weft_key_get(threads_weft_key(key)); }

#endif
