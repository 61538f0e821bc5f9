/* What calls do that cannot go back: other callers would wait for ever. */
#ifndef WEFT_THREADS_SRC_REQUIRE_H
#define WEFT_THREADS_SRC_REQUIRE_H

#include <stdlib.h>

#include <weft_threads/manage.h>

#include "environment.h"

/* Ends the program, unless the call within another one has worked. */
static inline void require_ok(threads_status status, const char *call) {
  if (status == THREADS_OK) return;
  report_error("%s cannot go on: %s; call it from a thread, not from a tasklet or a callback", call, threads_last_error());
  abort();
}

#endif
