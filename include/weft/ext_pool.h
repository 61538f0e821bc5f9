/* Weft for builders: pools of a builder's own, and what a builder does with any pool. Included by
 * ext.h, whose conventions hold here. */
#ifndef WEFT_EXT_POOL_H /* SPDX-License-Identifier: BSD-3-Clause */
#define WEFT_EXT_POOL_H

#include <weft/weft.h>

#if defined(__cplusplus)
extern "C" {
#endif

/* Why a unit is put into a pool; a built-in pool chooses the unit's position by it
 * (weft_pool_kind).
 * WEFT_PUSH_YIELDED is also used for a unit that was popped but could not start because no stack
 * was available. */
typedef enum weft_push_reason {
  WEFT_PUSH_NEW,     /* the unit was just made */
  WEFT_PUSH_YIELDED, /* it yielded */
  WEFT_PUSH_WOKEN,   /* it waited, and was woken */
  WEFT_PUSH_MIGRATED /* it comes from another pool or worker */
} weft_push_reason;

/* What a builder's own pool does. push, pop, count and remove are callbacks: any worker, and OS
 * threads outside, may call them at the same time. count may run inside a lock of the library: it
 * must not push, wake or notify. */
typedef struct weft_pool_ops {
  size_t size; /* sizeof(weft_pool_ops) */
  /* Takes a unit in. */
  void (*push)(void *state, weft_thread *unit, weft_push_reason reason);
  /* Hands a unit out; may return null although count is not 0. */
  weft_thread *(*pop)(void *state);
  /* Returns how many ready units there are. */
  size_t (*count)(void *state);
  /* Takes a given unit out; null: weft_yield_to of a unit in this pool only yields. */
  bool (*remove)(void *state, weft_thread *unit);
  /* Frees state; null: nothing to do. weft_pool_destroy calls it, on its caller's stack. */
  void (*destroy)(void *state);
} weft_pool_ops;

/* Creates a pool of the builder's own, which no worker serves yet.
 * The library copies *ops and passes state to its functions. access is that of weft_pool_create.
 * *out receives the pool, which the caller owns until weft_pool_destroy.
 * Errors: WEFT_INVALID (ops or out is null; ops has a wrong size, or no push, pop or count; access
 * is not a value of weft_pool_access), WEFT_NOMEM.
 * Switches: never. Callers: any, also while the runtime does not run. */
WEFT_NODISCARD WEFT_API weft_status weft_ext_pool_create(const weft_pool_ops *ops, void *state, weft_pool_access access,
                                                         weft_pool **out);

/* Takes the next unit out of a pool, in the order of the pool (weft_pool_kind, weft_pool_ops).
 * Returns: the unit, which the caller then owns; null if none is ready, and for null.
 * Switches: never. Callers: any. */
WEFT_API weft_thread *weft_ext_pool_pop(weft_pool *pool);

/* Takes the last unit out of a built-in pool: weft_ext_pool_pop would take all others before it.
 * Returns: the unit, which the caller then owns; null if none is ready, for a pool of
 * weft_ext_pool_create, and for null.
 * Switches: never. Callers: any. */
WEFT_API weft_thread *weft_ext_pool_pop_last(weft_pool *pool);

/* Puts an owned unit into a pool, which becomes its home, and wakes a worker that serves the pool.
 * The pool then owns the unit. reason decides its position in a built-in pool.
 * Errors: WEFT_INVALID (pool or unit is null; reason is not a value of weft_push_reason). After an
 * error the caller still owns the unit.
 * Switches: never. Callers: any.
 * Undefined: a unit that the caller does not own. */
WEFT_NODISCARD WEFT_API weft_status weft_ext_pool_push(weft_pool *pool, weft_thread *unit, weft_push_reason reason);

/* Takes a given unit out of a pool, wherever it stands there.
 * Returns: true if the caller then owns the unit; false if it is not in the pool, if the pool has
 * no remove (weft_pool_ops), and for null.
 * Switches: never. Callers: any.
 * Undefined: a handle that is no longer good. */
WEFT_NODISCARD WEFT_API bool weft_ext_pool_remove(weft_pool *pool, weft_thread *unit);

/* Takes a unit out of its home, if its home is one of the count pools of an array.
 * Returns: true if the caller then owns the unit; false if its home is none of them, if it is not
 * in its home now, if that pool has no remove (weft_pool_ops), and for null.
 * Switches: never. Callers: any.
 * Undefined: a handle that is no longer good. */
WEFT_NODISCARD WEFT_API bool weft_ext_pool_remove_from(weft_pool *const *pools, size_t count, weft_thread *unit);

/* Calls each(state, unit) for every ready unit of a built-in pool, in the order of the pool.
 * each runs on the caller's stack, with the caller's identity and inside the pool's lock: it must
 * be short, and must not switch, push or pop. For a pool of weft_ext_pool_create, and if pool or
 * each is null, nothing is done.
 * Switches: never. Callers: any. */
WEFT_API void weft_ext_pool_walk(weft_pool *pool, void (*each)(void *state, weft_thread *unit), void *state);

/* Wakes the callers that wait for work in a pool (weft_ext_wait_for_work), so that they look again.
 * For null, nothing is done.
 * Switches: never. Callers: any. */
WEFT_API void weft_ext_pool_notify(weft_pool *pool);

/* Makes a pool the home of a thread, from its next queueing on; null: the default queue.
 * The thread is one that the caller owns, one that has ended, or the caller itself, even if that is
 * the adopted caller of weft_init, which stays pinned to worker 0 until it calls weft_pin.
 * Errors: WEFT_INVALID (thread is null).
 * Switches: never. Callers: any.
 * Undefined: any other thread. */
WEFT_NODISCARD WEFT_API weft_status weft_ext_thread_set_pool(weft_thread *thread, weft_pool *pool);

#if defined(__cplusplus)
}
#endif
#endif
