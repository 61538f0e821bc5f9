/* Full/empty sync variables: calls through the table. */
#include <weft_threads/threads.h>

#include "builtin.h"

threads_status threads_sync_read_fe(threads_sync *sync, uint64_t *out) { return threads_component_now->sync_read_fe(sync, out); }

threads_status threads_sync_read_ff(threads_sync *sync, uint64_t *out) { return threads_component_now->sync_read_ff(sync, out); }

threads_status threads_sync_write_ef(threads_sync *sync, uint64_t value) {
  return threads_component_now->sync_write_ef(sync, value);
}

threads_status threads_sync_write_xf(threads_sync *sync, uint64_t value) {
  return threads_component_now->sync_write_xf(sync, value);
}

threads_status threads_sync_empty(threads_sync *sync) { return threads_component_now->sync_empty(sync); }

threads_status threads_sync_fill(threads_sync *sync) { return threads_component_now->sync_fill(sync); }

bool threads_sync_is_full(const threads_sync *sync) { return threads_component_now->sync_is_full(sync); }

threads_status threads_sync_destroy(threads_sync *sync) { return threads_component_now->sync_destroy(sync); }
