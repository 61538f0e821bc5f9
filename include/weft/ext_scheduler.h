/* Weft for builders: schedulers, which choose the unit that a worker runs. Included by ext.h,
 * whose conventions hold here. */
#ifndef WEFT_EXT_SCHEDULER_H /* SPDX-License-Identifier: BSD-3-Clause */
#define WEFT_EXT_SCHEDULER_H

#include <weft/weft.h>

#if defined(__cplusplus)
extern "C" {
#endif

/* A frameless scheduler. The worker calls next as a callback, on its current stack, whenever it
 * needs a unit, before it looks into its default queue and the pools that it serves. Units run on
 * the worker's stacks and switch directly from one to the next. */
typedef struct weft_scheduler_ops {
  size_t size; /* sizeof(weft_scheduler_ops) */
  /* Returns at once: a unit, which the worker then owns; or null: nothing for now. The worker then
   * does what it does without a scheduler (default queue, pools, stealing, timers, sources, sleep),
   * as it also does every 64 units, and asks again. A unit pinned elsewhere is sent there. */
  weft_thread *(*next)(void *state, unsigned worker);
} weft_scheduler_ops;

/* Gives a worker a frameless scheduler, in place of an earlier one; ops null: it has none any more.
 * The library copies *ops, and passes state to next. The call waits while the worker is inside next
 * of the earlier scheduler, which it never calls again: the caller may then free the old state.
 * Errors: WEFT_INVALID (no such worker, or it is being removed; ops has a wrong size or no next),
 * WEFT_NOMEM, WEFT_NOT_INITIALIZED.
 * Switches: never. Callers: any, not from within next. */
WEFT_NODISCARD WEFT_API weft_status weft_ext_worker_set_scheduler(unsigned worker, const weft_scheduler_ops *ops, void *state);

/* Runs an owned unit, and returns when the unit has ended, parked or yielded.
 * The call makes the caller a scheduler ULT; the unit runs on a stack of its own. After WEFT_OK the
 * caller no longer owns the unit; one that yielded has been requeued in its home. A unit that was
 * asked to migrate is sent to its destination instead of being run. Calls nest: a unit may dispatch
 * others.
 * Errors: WEFT_CANNOT_BLOCK (the caller is not a ULT), WEFT_INVALID (unit is null, or pinned to
 * another worker), WEFT_NOMEM (no stack). After an error the caller still owns the unit.
 * Switches: may. Callers: ULTs.
 * Undefined: a unit that the caller does not own. */
WEFT_NODISCARD WEFT_API weft_status weft_ext_dispatch(weft_thread *unit);

/* A row of units that run one after the other: each switches directly to the following one. */
typedef struct weft_row {
  size_t size; /* sizeof(weft_row) */

  /* Returns the following unit, whenever a unit of the row has ended, parked or yielded. The
   * library then owns the unit. null ends the row. yielding is the unit that left, if it is
   * requeued in its pool right afterwards; else null.
   * - next is a callback, and may run inside the lock of the object at which the unit before waits:
   *   it must not push, wake or notify. It takes units from built-in pools or its own lists, and
   *   never returns yielding.
   * - Only between rows does the worker serve timers, sources and units that were sent to it, and
   *   can the caller yield or ask weft_ext_should_stop. So the library ends a row of 256 units.
   * - A unit that it returned is requeued if it cannot run here: it is pinned to another worker,
   *   or no memory is left for its stack. */
  weft_thread *(*next)(void *state, weft_thread *yielding);
  void *state; /* for next and accepts */

  /* A built-in pool without priorities. If it is null, next is always called, and the fields below
   * have no meaning. While *left is not 0, the library takes the pool's first unit itself, without
   * calling next, if accepts(state, unit) returns true and the unit only has to be switched to: it
   * has a stack, is not pinned to another worker, and was not asked to migrate. */
  weft_pool *pool;
  /* Called where next would be called, but inside the lock of pool; weft_self() may be null there,
   * or any unit. It may only call those functions of Weft that read unit itself, for example its
   * extension bytes. */
  bool (*accepts)(void *state, weft_thread *unit);
  /* How many units may still be taken without next: the library subtracts 1 for each, next adds.
   * While it is not 0 and the pool has such units, the row cannot end: keep it small. */
  unsigned *left;
} weft_row;

/* Runs an owned unit, and then the others of a row, until row->next returns null or 256 have run.
 * *row must stay until the return. Apart from the row, the call does what weft_ext_dispatch does;
 * its errors concern the first unit only.
 * Errors: those of weft_ext_dispatch, WEFT_INVALID (row is null, or has a wrong size, no next, or a
 * pool without accepts or left). After an error the caller still owns the unit.
 * Switches: may. Callers: ULTs.
 * Undefined: a unit that the caller does not own. */
WEFT_NODISCARD WEFT_API weft_status weft_ext_dispatch_in_turn(weft_thread *unit, const weft_row *row);

/* Runs an owned unit now in the caller's place, and makes the caller ready again.
 *
 * If a scheduler ULT dispatched the caller, its weft_ext_dispatch now waits for the unit in place
 * of the caller: it returns when the unit has ended, parked or yielded. Once its context is saved,
 * the caller is requeued in its home: at the end, or, if as_new is true, at the position of a newly
 * created unit. The default queue and a builder's own pool ignore as_new. If the unit is a tasklet,
 * it runs at once, and the caller yields after it. If the unit was asked to migrate, it migrates,
 * and the caller yields. Periodically the call requeues the unit, and the caller yields: on a
 * worker that ends, or if others are ready and no scheduler ULT dispatched the caller.
 * Errors: WEFT_CANNOT_BLOCK (the caller is not a ULT), WEFT_INVALID (unit is null, or pinned to
 * another worker), WEFT_NOMEM (no stack). After an error the caller still owns the unit.
 * Switches: may. Callers: ULTs.
 * Undefined: a unit that the caller does not own. */
WEFT_NODISCARD WEFT_API weft_status weft_ext_yield_to_owned(weft_thread *unit, bool as_new);

/* Yields, and requeues the caller at the position of a newly created unit in its home.
 * A caller whose home is the default queue, and an OS thread outside, yield as by weft_yield. In a
 * tasklet and in a callback nothing is done. A builder's own pool is told WEFT_PUSH_YIELDED.
 * Switches: may. Callers: any. */
WEFT_API void weft_ext_yield_as_new(void);

/* Yields to the first ready unit of the caller's home, in one short step.
 * The unit runs in the caller's place, as by weft_ext_yield_to_owned, and the caller becomes the
 * last unit of the pool. Before that, accepts(state, unit) is called with the caller's identity,
 * inside the locks of the pool and of the worker. It must be short, and may only call those
 * functions of Weft that read unit itself, for example its extension bytes. The call fails with
 * WEFT_BUSY if
 * - accepts returned false;
 * - the unit cannot be resumed here directly: it has not started, is pinned to another worker, or
 *   was asked to migrate;
 * - the caller's home is the default queue, or a pool with priorities or of weft_ext_pool_create;
 * - the caller was created with keep_fp, carries state that is not zero (weft_ext_carry), has forks
 *   that were not joined, or was asked to migrate;
 * - WEFT_SCHEDULE, an event sink, WEFT_TRACE, WEFT_MIGRATE or WEFT_LOCALITY_DOMAIN is set;
 * - another worker or OS thread holds the lock of the pool or of the worker at that moment;
 * - the worker has to poll its timers and sources, as it does once in some 64 switches.
 * Returns: WEFT_OK after the caller was resumed.
 * Errors: WEFT_AGAIN (no other unit is ready in the pool), WEFT_CANNOT_BLOCK (the caller is not a
 * ULT), WEFT_INVALID (accepts is null), WEFT_BUSY (see above: pop a unit, and call
 * weft_ext_yield_to_owned). On failure nothing was done.
 * Switches: may. Callers: ULTs. */
WEFT_NODISCARD WEFT_API weft_status weft_ext_yield_in_pool(bool (*accepts)(void *state, weft_thread *unit), void *state);

/* Tells a scheduler ULT whether to return, and polls the timers and sources of this worker.
 * It also takes in the units that other workers have sent to this one.
 * Returns: true if the worker is being removed, if the runtime ends, or if the caller is outside,
 * where nothing is polled; else false.
 * Switches: never. Callers: any. */
WEFT_API bool weft_ext_should_stop(void);

/* Waits for work in one of the count pools of an array.
 * The call is for scheduler ULTs with nothing to dispatch, and for OS threads outside. It returns
 * WEFT_OK at once if one of the pools has a ready unit. Otherwise the worker runs its other units,
 * or spins (WEFT_SPIN) and sleeps, until a unit is pushed to one of the pools, a pool is notified,
 * or the runtime is about to end; then the call returns WEFT_OK, too. Another worker may have taken
 * the unit by then. The array and its pools must stay until the return.
 * is_wanted may be null. If is_wanted(argument) returns true, the call returns WEFT_OK. It runs on
 * the caller's stack, with the caller's identity, at intervals, and once after the caller has begun
 * to listen for notifications: a change that it looks at is not missed if weft_ext_pool_notify
 * follows. A lock may be held around it: it must not block, switch, notify, or make units ready.
 * Errors: WEFT_INVALID (pools is null, and count is not 0), WEFT_TIMEOUT, WEFT_CANNOT_BLOCK (the
 * caller is a tasklet or a callback), WEFT_NOT_INITIALIZED.
 * Switches: may. Callers: ULTs and OS threads outside. */
WEFT_NODISCARD WEFT_API weft_status weft_ext_wait_for_work(weft_pool *const *pools, size_t count, uint64_t deadline_ns,
                                                           bool (*is_wanted)(void *argument), void *argument);

#if defined(__cplusplus)
}
#endif
#endif
