/* Qthreads on Weft: pools of pieces of memory that have one size. */
#ifndef WEFT_QTHREADS_QPOOL_H /* SPDX-License-Identifier: BSD-3-Clause */
#define WEFT_QTHREADS_QPOOL_H

#include <stddef.h>

#include "common.h"
#include "macros.h"

Q_STARTCXX

/* A pool's memory grows as needed, and is freed with the pool. No call switches, and any caller may
 * make it, also before qthread_initialize. */
typedef struct qt_mpool_s qpool;

/* Create a pool of items of item_size bytes, aligned to alignment bytes, a power of two or 0. Items
 * are always aligned to 8 bytes, and those of 16 bytes and more to 16.
 * Returns: the pool, for qpool_destroy; null without memory, or if alignment is no power of two. */
qpool *qpool_create(size_t const item_size);
qpool *qpool_create_aligned(size_t const item_size, size_t const alignment);
/* Frees a pool and all its items. Null is ignored. */
void qpool_destroy(qpool *pool);

/* Returns: an item, for qpool_free, whose bytes are undefined; null without memory. */
void *qpool_alloc(qpool *pool);
/* Gives an item back to its pool. A null item is ignored. */
void qpool_free(qpool *restrict pool, void *restrict mem);

Q_ENDCXX

#endif
