/* Weft: how calls of the generic threads interface say what was wrong: threads_last_error(). Called on failure alone. */
#ifndef WEFT_THREADS_DETAIL_FAIL_H /* SPDX-License-Identifier: BSD-3-Clause */
#define WEFT_THREADS_DETAIL_FAIL_H

#include <weft_threads/types.h>

#ifdef __cplusplus
extern "C" {
#endif
THREADS_API void threads_tell(threads_status status, const char *call, const char *argument, const char *cause, uint64_t value)
    __attribute__((cold));
THREADS_API void threads_tell_as(const char *call) __attribute__((cold));
#ifdef __cplusplus
}
#endif

/* Notes a failure of the caller, and returns its status. The texts are static; argument may be null. A %u, %d or %p in the cause stands
 * for the value. */
static inline threads_status threads_fail(threads_status status, const char *call, const char *argument, const char *cause,
                                          uint64_t value) {
  threads_tell(status, call, argument, cause, value);
  return status;
}

/* The failure that was noted last, under the name of the call that fails by it. */
static inline threads_status threads_fail_as(threads_status status, const char *call) {
  threads_tell_as(call);
  return status;
}

static inline threads_status threads_fail_at(threads_status status, const char *call, const char *argument, const char *cause,
                                             const void *object) {
  return threads_fail(status, call, argument, cause, (uint64_t)(uintptr_t)object);
}

static inline threads_status threads_fail_on_null(const char *call, const char *argument) {
  return threads_fail(THREADS_INVALID, call, argument, "it is null", 0);
}

static inline threads_status threads_fail_without_memory(const char *call) {
  return threads_fail(THREADS_NOMEM, call, NULL, "memory is exhausted", 0);
}

#endif
