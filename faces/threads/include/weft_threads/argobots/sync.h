/* Weft: threads_sync_* on Argobots, inlined. */
#ifndef WEFT_THREADS_ARGOBOTS_SYNC_H /* SPDX-License-Identifier: BSD-3-Clause */
#define WEFT_THREADS_ARGOBOTS_SYNC_H

#include <weft_threads/argobots/mutex.h>
#include <weft_threads/detail/sync_state.h>

#ifdef __cplusplus
extern "C" {
#endif
/* Functions of the library that the inline functions below call. */
THREADS_API threads_status threads_argobots_sync_slowly(threads_sync *sync, threads_sync_want want, threads_sync_leave leave,
                                                        const uint64_t *in, uint64_t *out);
THREADS_API threads_status threads_argobots_sync_destroy(threads_sync *sync);
#ifdef __cplusplus
}
#endif

static inline threads_status threads_sync_slowly(threads_sync *sync, threads_sync_want want, threads_sync_leave leave,
                                                 const uint64_t *in, uint64_t *out) {
  return threads_argobots_sync_slowly(sync, want, leave, in, out);
}

#include <weft_threads/detail/sync_fast.h>

static inline threads_status threads_sync_destroy(threads_sync *sync) { return threads_argobots_sync_destroy(sync); }

#endif
