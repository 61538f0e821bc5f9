/* What the program may ask at any time. */
#include <weft_threads/detail/fail.h>
#include <weft_threads/manage.h>

#include "builtin.h"
#include "clock.h"

const char *threads_implementation(void) { return threads_component_now->name; }
unsigned threads_features(void) { return threads_component_now->features(); }
unsigned threads_worker_count(void) { return threads_component_now->worker_count(); }

threads_status threads_counts(threads_count *out) {
  if (out == NULL) return threads_fail_on_null("threads_counts", "out");
  threads_count counted = {0, 0, 0};
  const threads_status status = threads_component_now->counts(&counted);
  if (status == THREADS_OK) *out = counted;
  if (status != THREADS_UNSUPPORTED) return status;
  return threads_fail(status, "threads_counts", NULL, "the implementation does not count, as it was started", 0);
}

uint64_t threads_now_ns(void) { return clock_now_ns(); }
