/* What is not inlined of sync variables on libweft. */
#include <weft_threads/weft/functions.h>

#include <weft_threads/detail/sync_slow.h>

threads_status threads_weft_sync_slowly(threads_sync *sync, threads_sync_want want, threads_sync_leave leave, const uint64_t *in,
                                        uint64_t *out) {
  return threads_sync_by_mutex(sync, want, leave, in, out);
}

threads_status threads_weft_sync_destroy(threads_sync *sync) { return threads_sync_destroy_parts(sync); }
