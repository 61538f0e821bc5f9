/* The implementation qthreads as a table of functions, in a module of its own. */
#include <weft_threads/component.h>

#include "calls.h"

#include <weft_threads/detail/sync_slow.h>

static threads_status threads_sync_slowly(threads_sync *sync, threads_sync_want want, threads_sync_leave leave,
                                          const uint64_t *in, uint64_t *out) {
  return threads_sync_by_mutex(sync, want, leave, in, out);
}

#include <weft_threads/detail/sync_fast.h>

static threads_status threads_sync_destroy(threads_sync *sync) { return threads_sync_destroy_parts(sync); }

static threads_status counts(threads_count *out) {
  (void)out;
  return THREADS_UNSUPPORTED;
}

THREADS_API const threads_component weft_threads_component = {
    .version = THREADS_COMPONENT_VERSION,
    .size = sizeof(threads_component),
    .name = "qthreads",
    .start = runtime_start,
    .stop = runtime_stop,
    .features = runtime_features,
    .worker_count = runtime_worker_count,
    .counts = counts,
    THREADS_COMPONENT_CALLS,
};
