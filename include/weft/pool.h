/* Weft: pools, which are queues of ready units that a program can name. Included by weft.h, whose
 * conventions hold here.
 *
 * A worker serves a pool if it takes units out of it and runs them (weft_pool_attach). A unit
 * belongs to the pool into which it goes whenever it becomes ready: that of its weft_thread_attr,
 * of weft_thread_migrate_to_pool, or of weft_ext_pool_push. */
#ifndef WEFT_POOL_H /* SPDX-License-Identifier: BSD-3-Clause */
#define WEFT_POOL_H

#include <weft/base.h>

#if defined(__cplusplus)
extern "C" {
#endif

/* Which of its ready units a pool hands out next. */
typedef enum weft_pool_kind {
  WEFT_POOL_FIFO = 0, /* the unit that has been there longest */
  WEFT_POOL_LIFO = 1, /* the latest unit; units that yielded come last */
  /* Of the units of the highest priority, the one that came first. A worker that serves the pool
   * lets no priority starve: it takes a unit of the lowest priority within 100 ms after it first
   * took another one in its stead, and the time for which one unit runs without a switch, however
   * many more urgent units are ready. Under WEFT_SCHEDULE, 100 ms are 100,000 points of the
   * schedule. weft_ext_pool_pop keeps the order. */
  WEFT_POOL_PRIORITY = 2,
  /* The latest new unit, before units that yielded, woke or moved, which come in their order;
   * thieves may take units from the end (ext.h: weft_ext_pool_pop_last). */
  WEFT_POOL_DEQUE = 3
} weft_pool_kind;

/* How many workers may serve a pool. */
typedef enum weft_pool_access {
  WEFT_POOL_SHARED = 0, /* any number of workers serve it */
  WEFT_POOL_PRIVATE = 1 /* one worker serves it; its units do not migrate */
} weft_pool_access;

/* Priorities go from 0, the most urgent, to one less than this. */
#define WEFT_POOL_PRIORITIES 16u

/* Creates a pool, which no worker serves yet.
 * kind says in which order units leave it, and access how many workers may serve it. *out receives
 * the pool, which the caller owns until weft_pool_destroy.
 * Errors: WEFT_INVALID (out is null; kind or access is not a value of its type), WEFT_NOMEM.
 * Switches: never. Callers: any, also while the runtime does not run. */
WEFT_NODISCARD WEFT_API weft_status weft_pool_create(weft_pool_kind kind, weft_pool_access access, weft_pool **out);

/* Destroys a pool, and frees its memory.
 * Errors: WEFT_INVALID (pool is null), WEFT_BUSY (units are in the pool, blocked units belong to
 * it, a worker serves it, or a call of weft_ext_wait_for_work waits for it). After an error the
 * pool stays.
 * Switches: never. Callers: any, also while the runtime does not run.
 * Undefined: a pool to which a running unit belongs or has been asked to migrate; any later call
 * with the pool, or with a thread that names it as its pool. */
WEFT_NODISCARD WEFT_API weft_status weft_pool_destroy(weft_pool *pool);

/* Lets a worker serve a pool from now on, after the pools that it already serves.
 *
 * worker is an index. If the worker already serves a shared pool, the call adds the pool once more:
 * it wants another weft_pool_detach.
 * Errors: WEFT_INVALID (pool is null; no such worker, or it is being removed), WEFT_BUSY (a private
 * pool that a worker already serves), WEFT_NOMEM, WEFT_NOT_INITIALIZED.
 * Switches: never. Callers: any. */
WEFT_NODISCARD WEFT_API weft_status weft_pool_attach(weft_pool *pool, unsigned worker);

/* Ends a weft_pool_attach: the worker no longer serves the pool.
 * Units stay in the pool until another worker serves it. A unit of it that runs is requeued there,
 * too. If the worker is looking into the pool, the call blocks the calling OS thread until it has
 * finished.
 * Errors: WEFT_INVALID (pool is null; no such worker, or it does not serve the pool),
 * WEFT_NOT_INITIALIZED.
 * Switches: never. Callers: any. */
WEFT_NODISCARD WEFT_API weft_status weft_pool_detach(weft_pool *pool, unsigned worker);

/* Returns how many ready units are in a pool.
 * Returns: the number at this moment; 0 for null.
 * Switches: never. Callers: any. */
WEFT_API size_t weft_pool_ready_count(const weft_pool *pool);

/* Returns how many units belong to a pool.
 * Returns: the number of ready units, and of blocked units that will come back to the pool, at this
 * moment; 0 for null.
 * Switches: never. Callers: any. */
WEFT_API size_t weft_pool_total_count(const weft_pool *pool);

#ifdef __cplusplus
}
#endif
#endif
