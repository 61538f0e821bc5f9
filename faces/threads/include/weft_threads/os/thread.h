/* Weft: threads_* on OS threads, inlined where that gains something: threads, time. */
#ifndef WEFT_THREADS_OS_THREAD_H /* SPDX-License-Identifier: BSD-3-Clause */
#define WEFT_THREADS_OS_THREAD_H

#include <sched.h>

#include <weft_threads/types.h>

#ifdef __cplusplus
extern "C" {
#endif
/* Functions of the library that the inline functions below call. */
THREADS_NODISCARD THREADS_API threads_status threads_os_create(threads_function function, void *argument, threads_thread **out);
THREADS_NODISCARD THREADS_API threads_status threads_os_join(threads_thread *thread);
THREADS_API uint64_t threads_os_self_id(void);
THREADS_API bool threads_os_self_compare(const threads_thread *thread);
THREADS_NODISCARD THREADS_API threads_status threads_os_sleep_ns(uint64_t interval_ns);
#ifdef __cplusplus
}
#endif

THREADS_NODISCARD static inline threads_status threads_create(threads_function function, void *argument, threads_thread **out) {
  return threads_os_create(function, argument, out);
}

THREADS_NODISCARD static inline threads_status threads_join(threads_thread *thread) { return threads_os_join(thread); }

static inline uint64_t threads_self_id(void) { return threads_os_self_id(); }

static inline bool threads_self_compare(const threads_thread *thread) { return threads_os_self_compare(thread); }

static inline void threads_yield(void) { sched_yield(); }

THREADS_NODISCARD static inline threads_status threads_sleep_ns(uint64_t interval_ns) { return threads_os_sleep_ns(interval_ns); }

#endif
