/* The implementation argobots as a table of functions; a module of its own, or linked into a
 * program. */
#include <weft_threads/argobots/functions.h>
#include <weft_threads/component.h>

#include <stdio.h>
#include <stdlib.h>

#include "../environment.h"
#include "calls.h"
#include "streams.h"

_Static_assert(sizeof(ABT_mutex_memory) <= sizeof(threads_mutex), "a mutex holds Argobots'");
_Static_assert(sizeof(ABT_cond_memory) <= sizeof(threads_cond), "a condition holds Argobots'");

static bool is_caller_outside;

static bool set_stack_size(size_t bytes) {
  char text[32];
  if (bytes == 0) return true;
  snprintf(text, sizeof text, "%zu", bytes);
  return setenv("ABT_THREAD_STACKSIZE", text, 1) == 0;
}

static threads_status start(const threads_config *config) {
  if (ABT_initialized() == ABT_SUCCESS) {
    report_error("argobots: the program has called ABT_init itself; threads_start comes first");
    return THREADS_BUSY;
  }
  const unsigned workers = config->workers != 0 ? config->workers : allowed_cpus();
  is_caller_outside = config->caller_outside;
  if (!set_stack_size(config->stack_bytes)) return THREADS_NOMEM;
  const threads_status status = is_caller_outside ? streams_start_elsewhere(workers) : streams_start(workers);
  if (status == THREADS_UNSUPPORTED) {
    report_error(
        "argobots: this one was built without external threads, so that the caller must be adopted (caller_outside = false)");
  } else if (status != THREADS_OK)
    report_error("argobots: %u execution streams could not be started", workers);
  return status;
}

static threads_status stop(void) {
  if (is_caller_outside) {
    streams_stop_elsewhere();
  } else {
    streams_stop();
  }
  return THREADS_OK;
}

static unsigned features(void) {
  return THREADS_MIGRATES | THREADS_IDLE_SPINS | (is_caller_outside ? THREADS_CALLER_OUTSIDE : 0);
}

static threads_status counts(threads_count *out) {
  (void)out;
  return THREADS_UNSUPPORTED;
}

__attribute__((visibility("default"))) const threads_component weft_threads_component = {
    .version = THREADS_COMPONENT_VERSION,
    .size = sizeof(threads_component),
    .name = "argobots",
    .start = start,
    .stop = stop,
    .features = features,
    .worker_count = streams_count,
    .counts = counts,
    THREADS_COMPONENT_CALLS,
};
