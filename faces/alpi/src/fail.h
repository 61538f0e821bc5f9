/* What a call that fails returns, and how weft_last_error() tells of it. */
#ifndef WEFT_ALPI_FAIL_H
#define WEFT_ALPI_FAIL_H

#include <weft/failing.h>

#include "../include/alpi.h"

#define EXPORT __attribute__((visibility("default")))

/* The texts are constant; argument may be null. */
static inline int fail(int error, const char *call, const char *argument, const char *cause) {
  static const weft_status statuses[ALPI_ERR_MAX] = {
      [ALPI_ERR_VERSION] = WEFT_INVALID,           [ALPI_ERR_NOT_INITIALIZED] = WEFT_NOT_INITIALIZED,
      [ALPI_ERR_PARAMETER] = WEFT_INVALID,         [ALPI_ERR_OUT_OF_MEMORY] = WEFT_NOMEM,
      [ALPI_ERR_OUTSIDE_TASK] = WEFT_CANNOT_BLOCK, [ALPI_ERR_UNKNOWN] = WEFT_UNSUPPORTED,
      [ALPI_ERR_FEATURE_UNKNOWN] = WEFT_INVALID,
  };
  (void)weft_ext_fail(statuses[error], call, argument, cause, 0);
  return error;
}

static inline int fail_null(const char *call, const char *argument) { return fail(ALPI_ERR_PARAMETER, call, argument, "null"); }

static inline int fail_not_started(const char *call) {
  return fail(ALPI_ERR_NOT_INITIALIZED, call, 0, "the runtime does not run: call weft_init first");
}

static inline int fail_outside(const char *call) {
  return fail(ALPI_ERR_OUTSIDE_TASK, call, 0, "the caller is not a task, which is a ULT of Weft's");
}

#endif
