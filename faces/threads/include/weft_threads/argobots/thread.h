/* Weft: threads_* on Argobots, inlined: threads, time. */
#ifndef WEFT_THREADS_ARGOBOTS_THREAD_H /* SPDX-License-Identifier: BSD-3-Clause */
#define WEFT_THREADS_ARGOBOTS_THREAD_H

#include <abt.h>
#include <sched.h>

#include <weft_threads/detail/fail.h>
#include <weft_threads/types.h>

#ifdef __cplusplus
extern "C" {
#endif
/* Functions of the library that the inline functions below call. */
THREADS_API ABT_pool threads_argobots_pool(void);   /* the pool of the calling execution stream; outside, the pools in turn */
THREADS_API bool threads_argobots_is_outside(void); /* an Argobots that is built without checks does not notice it */
THREADS_NODISCARD THREADS_API threads_status threads_argobots_sleep_ns(uint64_t interval_ns);
#ifdef __cplusplus
}
#endif

/* call: in whose name. */
static inline threads_status threads_of_argobots(const char *call, int code) {
  if (__builtin_expect(code == ABT_SUCCESS, 1)) return THREADS_OK;
  if (code == ABT_ERR_MEM) return threads_fail_without_memory(call);
  if (code == ABT_ERR_SYS) return threads_fail(THREADS_AGAIN, call, NULL, "the system refused an OS thread", 0);
  return threads_fail(THREADS_INVALID, call, NULL, "Argobots refused it with its error %d", (uint64_t)code);
}

THREADS_NODISCARD static inline threads_status threads_create(threads_function function, void *argument, threads_thread **out) {
  if (function == NULL) return threads_fail_on_null("threads_create", "function");
  return threads_of_argobots("threads_create", ABT_thread_create(threads_argobots_pool(), function, argument,
                                                                 ABT_THREAD_ATTR_NULL, (ABT_thread *)(void *)out));
}

THREADS_NODISCARD static inline threads_status threads_join(threads_thread *thread) {
  if (thread == NULL) return threads_fail_on_null("threads_join", "thread");
  ABT_thread its = (ABT_thread)(void *)thread, self = ABT_THREAD_NULL;
  if (!threads_argobots_is_outside() && ABT_self_get_thread(&self) == ABT_SUCCESS && self == its)
    return threads_fail_at(THREADS_DEADLOCK, "threads_join", "thread", "it is the caller (%p)", thread);
  return threads_of_argobots("threads_join", ABT_thread_free(&its));
}

/* Adds 1 to the id of Argobots, which is 0 for its first thread. */
static inline uint64_t threads_self_id(void) {
  ABT_unit_id id = 0;
  if (threads_argobots_is_outside()) return 0;
  return ABT_self_get_thread_id(&id) == ABT_SUCCESS ? (uint64_t)id + 1 : 0;
}

static inline bool threads_self_compare(const threads_thread *thread) {
  ABT_thread self = ABT_THREAD_NULL;
  if (thread == NULL || threads_argobots_is_outside()) return false;
  return ABT_self_get_thread(&self) == ABT_SUCCESS && self == (ABT_thread)(uintptr_t)thread;
}

static inline void threads_yield(void) {
  if (threads_argobots_is_outside()) {
    sched_yield();
  } else {
    ABT_self_yield();
  }
}

THREADS_NODISCARD static inline threads_status threads_sleep_ns(uint64_t interval_ns) {
  return threads_argobots_sleep_ns(interval_ns);
}

#endif
