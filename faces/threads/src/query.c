/* What the program may ask at any time. */
#include <weft_threads/manage.h>

#include "builtin.h"
#include "clock.h"

const char *threads_implementation(void) { return threads_component_now->name; }
unsigned threads_features(void) { return threads_component_now->features(); }
unsigned threads_worker_count(void) { return threads_component_now->worker_count(); }

threads_status threads_counts(threads_count *out) {
  if (out == NULL) return THREADS_INVALID;
  threads_count counted = {0, 0, 0};
  const threads_status status = threads_component_now->counts(&counted);
  if (status == THREADS_OK) *out = counted;
  return status;
}

uint64_t threads_now_ns(void) { return clock_now_ns(); }
