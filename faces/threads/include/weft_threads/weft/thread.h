/* Weft: threads_* on libweft, inlined: threads, time. */
#ifndef WEFT_THREADS_WEFT_THREAD_H /* SPDX-License-Identifier: BSD-3-Clause */
#define WEFT_THREADS_WEFT_THREAD_H

#include <weft/weft.h>
#include <weft_threads/types.h>

/* The numbers are the same: src/weft/component.c asserts it. */
static inline threads_status threads_of_weft(weft_status status) { return (threads_status)status; }

THREADS_NODISCARD static inline threads_status threads_create(threads_function function, void *argument, threads_thread **out) {
  return threads_of_weft(weft_thread_create(function, argument, NULL, (weft_thread **)(void *)out));
}

THREADS_NODISCARD static inline threads_status threads_join(threads_thread *thread) {
  return threads_of_weft(weft_thread_join((weft_thread *)(void *)thread));
}

static inline uint64_t threads_self_id(void) { return weft_thread_id(weft_self()); }

static inline bool threads_self_compare(const threads_thread *thread) {
  return thread != NULL && weft_self() == (const weft_thread *)(const void *)thread;
}

static inline void threads_yield(void) { weft_yield(); }

THREADS_NODISCARD static inline threads_status threads_sleep_ns(uint64_t interval_ns) {
  return threads_of_weft(weft_sleep_ns(interval_ns));
}

#endif
