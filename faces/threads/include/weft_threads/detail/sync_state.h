/* Weft: the words of full/empty variables with a fast way: see sync_fast.h and sync_slow.h. */
#ifndef WEFT_THREADS_DETAIL_SYNC_STATE_H /* SPDX-License-Identifier: BSD-3-Clause */
#define WEFT_THREADS_DETAIL_SYNC_STATE_H

#include <weft_threads/types.h>

#define THREADS_SYNC_EMPTY 0u
#define THREADS_SYNC_FULL 1u
#define THREADS_SYNC_BUSY 2u
#define THREADS_SYNC_WAITED 4u

typedef enum threads_sync_want { THREADS_SYNC_WANT_EMPTY, THREADS_SYNC_WANT_FULL, THREADS_SYNC_WANT_ANY } threads_sync_want;
typedef enum threads_sync_leave { THREADS_SYNC_LEAVE_EMPTY, THREADS_SYNC_LEAVE_FULL } threads_sync_leave;

/* The parts of a sync variable's memory that the slow way uses. */
static inline threads_mutex *threads_sync_mutex(threads_sync *sync) { return (threads_mutex *)(void *)sync->opaque; }
static inline threads_cond *threads_sync_cond(threads_sync *sync, threads_sync_want want) {
  return (threads_cond *)(void *)(sync->opaque + (want == THREADS_SYNC_WANT_FULL ? 8 : 16));
}

#endif
