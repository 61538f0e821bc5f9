/* Weft for builders: the calls on which faces, schedulers, pools, languages and distributed layers
 * stand. The conventions of weft.h hold. The core's own loop is written on the same dispatch.
 *
 * Words
 *   Own          A builder owns a unit that it made, revived (weft_ext_thread_revive), unparked by
 *                weft_ext_unpark_owned, or took out of a pool. It must run the unit
 *                (weft_ext_dispatch, weft_ext_yield_to_owned, or return it from next), put it into
 *                a pool, or, if the unit has not started, discard it.
 *   Home         The home of a unit is the pool into which it goes when it becomes ready; null: the
 *                default queue of the worker that makes it ready.
 *   Identity     The caller's identity is the unit that weft_self() returns.
 *   Callback     A function that the library calls, and that its comment calls a callback, runs
 *                without identity (weft_self() is null), and must not block or switch. Its comment
 *                says on which thread it runs.
 *   Pool         A "built-in pool" is one of weft_pool_create, as against weft_ext_pool_create.
 *   Scheduler    A "frameless" scheduler names units (weft_ext_worker_set_scheduler); a scheduler
 *                ULT runs them (weft_ext_dispatch). */
#ifndef WEFT_EXT_H
#define WEFT_EXT_H

#include <weft/at_worker.h>
#include <weft/await.h>
#include <weft/weft.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- park and unpark ------------------------------------------------------------------------- */

/* Parks the calling ULT until a call of weft_ext_unpark or weft_ext_unpark_owned for it.
 *
 * Once the caller's context is saved, commit(self, argument) runs on the same worker, as a
 * callback. It hands self to the future waker and returns true; the waker may unpark the ULT at
 * once, even before commit has returned. If commit returns false, no waker may unpark the ULT, and
 * the call returns WEFT_OK. what names the wait in reports, such as "mutex", and must stay as long
 * as the wait; null: "unpark".
 * Errors: WEFT_INVALID (commit is null), WEFT_CANNOT_BLOCK (the caller is not a ULT).
 * Switches: may. Callers: ULTs.
 * Undefined: commit blocks, switches, or calls anything that may. */
WEFT_NODISCARD WEFT_API weft_status weft_ext_park(bool (*commit)(weft_thread *self, void *argument), void *argument,
                                                  const char *what);

/* Parks the calling ULT as weft_ext_park does, and then unlocks a spinlock that the waker takes.
 *
 * *lock is 1 while the lock is held and 0 while it is free; the caller holds it. The call first
 * writes the caller's handle to *self, where the waker reads it while it holds the lock. Once the
 * ULT can be unparked, the library sets *lock to 0, with release order. Until then, for the time of
 * a switch, another OS thread that wants the lock spins. On return the caller does not hold the
 * lock. lock may be null if no other OS thread can unpark the caller. what is that of
 * weft_ext_park, but not null.
 * Errors: WEFT_INVALID (self or what is null), WEFT_CANNOT_BLOCK (the caller is not a ULT). After
 * an error the caller still holds the lock.
 * Switches: may. Callers: ULTs. */
WEFT_NODISCARD WEFT_API weft_status weft_ext_park_unlocking(uint32_t *lock, weft_thread **self, const char *what);

/* Makes a ULT ready that is parked by weft_ext_park or weft_ext_park_unlocking.
 * Each park takes exactly one unpark, of either kind. For null, nothing is done. A ULT that wants
 * the unparked one to run next calls weft_yield_to afterwards, if the handle is still good: another
 * worker may have run the unparked ULT to its end by then.
 * Switches: never. Callers: any.
 * Undefined: a ULT that is neither parked by these calls nor in its commit, such as one that was
 * unparked already. */
WEFT_API void weft_ext_unpark(weft_thread *thread);

/* Ends a park as weft_ext_unpark does, but does not make the ULT ready: the caller then owns it.
 * For null, nothing is done.
 * Switches: never. Callers: any.
 * Undefined: what is undefined for weft_ext_unpark. */
WEFT_API void weft_ext_unpark_owned(weft_thread *thread);

/* Calls function(argument) on the caller's stack, as if an OS thread outside had called it.
 *
 * It is for tasklets that must block. In function, a call that waits blocks this worker's OS
 * thread, which runs no other unit meanwhile. Use it only if the waker runs on another worker;
 * otherwise this deadlocks, always so under WEFT_SCHEDULE, where all workers share one OS thread.
 * Deadlock reports do not see such a wait. In function weft_self() is null, weft_yield does
 * nothing, and calls for ULTs alone return WEFT_CANNOT_BLOCK. A mutex that function locks belongs
 * to the OS thread: unlock it in another call of weft_ext_call_outside on the same worker.
 * Errors: WEFT_INVALID (function is null).
 * Switches: never. Callers: any. */
WEFT_NODISCARD WEFT_API weft_status weft_ext_call_outside(weft_function function, void *argument);

/* ---- units that a builder owns --------------------------------------------------------------- */

/* Makes a unit that the caller owns, in no queue yet: a tasklet if tasklet is true, else a ULT.
 * function, argument and attr are those of weft_thread_create and weft_tasklet_create. *out
 * receives the handle. The unit is detached only if attr says so. An event sink is told CREATE, but
 * not READY when the owner puts the unit into a pool, and nothing when the owner discards it.
 * Errors: those of weft_thread_create, WEFT_INVALID (out is null).
 * Switches: never. Callers: any. */
WEFT_NODISCARD WEFT_API weft_status weft_ext_thread_make(weft_function function, void *argument, const weft_thread_attr *attr,
                                                         bool tasklet, weft_thread **out);

/* Makes a unit that the caller owns, and that runs function(copy), on a copy of size bytes.
 * function, bytes and size are those of weft_thread_create_copy; attr, tasklet and out are those of
 * weft_ext_thread_make. The library frees the copy when function returns or the unit is discarded.
 * Errors: those of weft_ext_thread_make, WEFT_INVALID (bytes is null, and size is not 0; size is
 * above WEFT_COPY_MAX).
 * Switches: never. Callers: any. */
WEFT_NODISCARD WEFT_API weft_status weft_ext_thread_make_copy(weft_function function, const void *bytes, size_t size,
                                                              const weft_thread_attr *attr, bool tasklet, weft_thread **out);

/* What weft_ext_thread_make_in makes; 0: a ULT that is joined. */
typedef enum weft_make_kind {
  WEFT_MAKE_TASKLET = 1, /* a tasklet */
  WEFT_MAKE_DETACHED = 2 /* a unit that cannot be joined */
} weft_make_kind;

/* Makes a unit that the caller owns, in fewer instructions than weft_ext_thread_make.
 * The unit calls function with its own handle as the argument; it finds other data in its extension
 * bytes (weft_ext_bytes). Its home is pool, which may be null. kind is 0, or a bitwise OR of values
 * of weft_make_kind. *out receives the handle.
 * Errors: WEFT_INVALID (function or out is null; kind has other bits), WEFT_NOMEM,
 * WEFT_NOT_INITIALIZED.
 * Switches: never. Callers: any. */
WEFT_NODISCARD WEFT_API weft_status weft_ext_thread_make_in(weft_pool *pool, weft_function function, unsigned kind,
                                                            weft_thread **out);

/* A place in a source, as std::source_location has it. */
typedef struct weft_ext_place {
  const char *file;     /* as the compiler was given it */
  const char *function; /* as it is declared: "int main()" */
  unsigned line;        /* from 1 */
  unsigned column;      /* from 1; 0: unknown */
} weft_ext_place;

/* Creates a ULT as weft_thread_create does, and notes the place in the source that asked for it.
 * A layer calls this in the name of its own caller, as the C++ headers do. Dumps, reports and
 * traces then name the thread by place, not by function, which is the layer's own, and say that it
 * was made there. place is null (unknown), or constant data that stays loaded while the thread
 * lives.
 * Errors: those of weft_thread_create.
 * Switches: never. Callers: any. */
WEFT_NODISCARD WEFT_API weft_status weft_ext_thread_create_at(weft_function function, void *argument,
                                                              const weft_thread_attr *attr, weft_thread **out,
                                                              const weft_ext_place *place);

/* Creates a ULT that runs function(memory), on size bytes of memory that the layer fills itself.
 * The call does what weft_thread_create_copy does, except that it calls fill(memory, source)
 * instead of copying. fill runs on the caller's stack and with its identity, before the thread can
 * run, and only if the call succeeds. The C++ headers pass closures in this way. place is that of
 * weft_ext_thread_create_at.
 * Errors: those of weft_thread_create_copy, WEFT_INVALID (fill is null).
 * Switches: never. Callers: any.
 * Undefined: fill throws an exception, or switches. */
WEFT_NODISCARD WEFT_API weft_status weft_ext_thread_create_filled(weft_function function, size_t size,
                                                                  void (*fill)(void *memory, void *source), void *source,
                                                                  const weft_thread_attr *attr, weft_thread **out,
                                                                  const weft_ext_place *place);

/* Frees an owned unit that has not started. For null, nothing is done.
 * Switches: never. Callers: any.
 * Undefined: a unit that has started, or that the caller does not own; any later call with it. */
WEFT_API void weft_ext_thread_discard(weft_thread *owned);

/* Waits until a thread has ended, but does not free its descriptor.
 * The caller has the right to join the thread, and keeps it. Afterwards it joins the thread (which
 * returns at once), revives it, or looks at its extension bytes.
 * Errors: those of weft_thread_join.
 * Switches: may. Callers: any.
 * Undefined: what is undefined for weft_thread_join. */
WEFT_NODISCARD WEFT_API weft_status weft_ext_thread_wait(weft_thread *thread);

/* Makes a new unit of a thread that has ended and was not joined: it will run function(argument).
 * The caller has the right to join the thread, and then owns the unit. It is what the thread was, a
 * ULT or a tasklet, and keeps its handle, id, name, home, pinning, keep_fp, stack and extension
 * bytes, but no value of a key, and no move that weft_thread_migrate_to_* asked for.
 * Errors: WEFT_INVALID (thread or function is null; the worker that the thread was pinned to is
 * gone), WEFT_BUSY (it has not ended), WEFT_NOMEM (no stack of its size). After an error the caller
 * can still join the thread.
 * Switches: never. Callers: any.
 * Undefined: a thread that was joined, or is detached. */
WEFT_NODISCARD WEFT_API weft_status weft_ext_thread_revive(weft_thread *thread, weft_function function, void *argument);

/* ---- pools ----------------------------------------------------------------------------------- */

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

/* Returns the home of a thread.
 * Returns: the pool; null if the home is the default queue, and for null.
 * Switches: never. Callers: any. */
WEFT_API weft_pool *weft_ext_thread_pool(const weft_thread *thread);

/* Makes a pool the home of a thread, from its next queueing on; null: the default queue.
 * The thread is one that the caller owns, one that has ended, or the caller itself, even if that is
 * the adopted caller of weft_init, which stays pinned to worker 0 until it calls weft_pin.
 * Errors: WEFT_INVALID (thread is null).
 * Switches: never. Callers: any.
 * Undefined: any other thread. */
WEFT_NODISCARD WEFT_API weft_status weft_ext_thread_set_pool(weft_thread *thread, weft_pool *pool);

/* ---- schedulers ------------------------------------------------------------------------------ */

/* A frameless scheduler. The worker calls next as a callback, on its current stack, whenever it
 * needs a unit, before it looks into its default queue and the pools that it serves. Units run on
 * the worker's stacks and switch directly from one to the next. */
typedef struct weft_scheduler_ops {
  size_t size; /* sizeof(weft_scheduler_ops) */
  /* Returns at once: a unit, which the worker then owns; or null: nothing for now. The worker then
   * does what it does without a scheduler (default queue, pools, stealing, timers, sources, sleep),
   * and asks again. A unit that is pinned to another worker is sent there. */
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
   * - It must return null now and then: only between rows does the worker serve timers, sources and
   *   units that were sent to it, and can the caller ask weft_ext_should_stop.
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

/* Runs an owned unit, and then the other units of a row, until row->next returns null.
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
 * and the caller yields. On a worker that is being removed, a few more units may still be run in
 * this way; after that the call requeues the unit, and the caller yields.
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
 *
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
 *
 * The call is for scheduler ULTs with nothing to dispatch, and for OS threads outside. It returns
 * WEFT_OK at once if one of the pools has a ready unit. Otherwise the worker runs its other units,
 * or spins (WEFT_SPIN) and sleeps, until a unit is pushed to one of the pools, a pool is notified,
 * or the runtime is about to end; then the call returns WEFT_OK, too. Another worker may have taken
 * the unit by then. The array and its pools must stay until the return.
 *
 * is_wanted may be null. If is_wanted(argument) returns true, the call returns WEFT_OK. It runs on
 * the caller's stack, with the caller's identity, at intervals, and once after the caller has begun
 * to listen for notifications: a change that it looks at is not missed if weft_ext_pool_notify
 * follows. A lock may be held around it: it must not block, switch, notify, or make units ready.
 * Errors: WEFT_INVALID (pools is null, and count is not 0), WEFT_TIMEOUT, WEFT_CANNOT_BLOCK (the
 * caller is a tasklet or a callback), WEFT_NOT_INITIALIZED.
 * Switches: may. Callers: ULTs and OS threads outside. */
WEFT_NODISCARD WEFT_API weft_status weft_ext_wait_for_work(weft_pool *const *pools, size_t count, uint64_t deadline_ns,
                                                           bool (*is_wanted)(void *argument), void *argument);

/* ---- outside sources of work ----------------------------------------------------------------- */

/* Adds a source, which workers poll (weft_ext_source_add_at: which one of them polls).
 * Workers call poll(state) as a callback, one worker at a time: busy ones now and then, idle ones
 * before they sleep. The first poll may run before this call has returned. poll makes units ready
 * (by unpark, create, set) and returns how many. While a source is there, no deadlock is reported.
 * *out receives the source. A source that is never removed is freed with the runtime.
 * Errors: WEFT_INVALID (poll or out is null), WEFT_NOT_INITIALIZED, WEFT_NOMEM, WEFT_AGAIN (there
 * are 64 sources).
 * Switches: never. Callers: any. */
WEFT_NODISCARD WEFT_API weft_status weft_ext_source_add(size_t (*poll)(void *state), void *state, weft_source **out);

/* Adds a source whose poll finds work only after a call of weft_ext_source_notify.
 * The call does what weft_ext_source_add does, except that deadlocks are reported although the
 * source is there. It is for requests to the workers that any OS thread or a signal handler may
 * make, and that most programs never make.
 * Errors: those of weft_ext_source_add.
 * Switches: never. Callers: any. */
WEFT_NODISCARD WEFT_API weft_status weft_ext_bell_add(size_t (*poll)(void *state), void *state, weft_source **out);

/* Removes a source: afterwards poll is not called again, and the caller may free its state.
 * If a worker is inside poll, the call blocks the calling OS thread until poll has returned. The
 * source's own memory is freed when the runtime ends.
 * Errors: WEFT_INVALID (source is null, or none of this runtime), WEFT_DEADLOCK (the caller is the
 * source's own poll), WEFT_NOT_INITIALIZED.
 * Switches: never. Callers: any. */
WEFT_NODISCARD WEFT_API weft_status weft_ext_source_remove(weft_source *source);

/* Has a worker poll a source soon; wakes a sleeping worker unless one looks for work already.
 * The call takes no lock, so that a signal handler may wake threads by a source whose poll makes
 * them ready. For null, and while the runtime does not run, nothing is done. A removed source may
 * be notified until the runtime ends.
 * Switches: never. Callers: any, signal handlers included.
 * Undefined: a source of an earlier runtime. */
WEFT_API void weft_ext_source_notify(weft_source *source);

/* ---- stacks ---------------------------------------------------------------------------------- */

/* Where the memory of stacks comes from. The library may call map and unmap on any OS thread that
 * uses Weft, at the same time and inside a lock: they must not call Weft. */
typedef struct weft_stack_provider {
  size_t size; /* sizeof(weft_stack_provider) */
  /* Returns bytes of readable and writable memory, aligned to a page, or null. The library asks for
   * many stacks at once, and for single ones of a size of their own, and puts its guards there. */
  void *(*map)(void *state, size_t bytes);
  /* Takes memory back; may be null. */
  void (*unmap)(void *state, void *base, size_t bytes);
  void *state; /* for both */
} weft_stack_provider;

/* Replaces the memory beneath all stacks that Weft makes; null: Weft's own again.
 * The library copies *provider, and uses it from the next weft_init on.
 * Errors: WEFT_BUSY (the runtime runs), WEFT_INVALID (provider has a wrong size, or no map).
 * Switches: never. Callers: any, before weft_init. */
WEFT_NODISCARD WEFT_API weft_status weft_ext_set_stack_provider(const weft_stack_provider *provider);

/* Tells where the stack of a thread is now.
 * *base receives its lowest address and *bytes its size; both receive null and 0 if the thread has
 * no stack now, or one whose place is unknown, and if thread is null. base and bytes may be null.
 * Switches: never. Callers: any.
 * Undefined: a thread that may run or move meanwhile, unless it is the caller. */
WEFT_API void weft_ext_thread_stack(const weft_thread *thread, void **base, size_t *bytes);

/* ---- events ---------------------------------------------------------------------------------- */

/* What an event sink is told of. The events of a thread come in this order: CREATE; READY; maybe
 * STEAL; RUN; then YIELD, or PARK and READY, and RUN again, as often as the thread leaves its
 * worker; END; and JOIN, if it is joined. What a builder made has no READY before its first RUN. */
typedef enum weft_event_kind {
  WEFT_ON_CREATE, /* the thread was made, or revived */
  WEFT_ON_RUN,    /* a worker begins to run it */
  WEFT_ON_YIELD,  /* it leaves its worker and stays ready */
  WEFT_ON_PARK,   /* it leaves its worker and waits */
  WEFT_ON_READY,  /* it becomes ready */
  WEFT_ON_END,    /* it has ended */
  WEFT_ON_JOIN,   /* it was joined */
  WEFT_ON_STEAL   /* another worker took it out of its worker's queue */
} weft_event_kind;

/* Has the library call sink(state, kind, thread) at every event of every thread; null: at none.
 *
 * The process has one sink; a call replaces the earlier one. sink is a callback, on the worker, or
 * the OS thread outside, where the event happens. Weft may hold a lock around it, such as that of
 * the object at which a thread parks. sink may read clocks and what is known of threads (ids,
 * names, extension bytes), and use locks of its own. It must not make, wake, join or move threads
 * (checked builds name it), or use objects at which callers of Weft wait.
 *
 * A sink that is set before weft_init is told of every event. If a sink is set, replaced or removed
 * while the runtime runs, each worker notices that at its next event; such a sink may miss events
 * of threads that go through no pool and no scheduler ULT. After the return, calls of the old sink
 * that have begun may still run: keep its state and code until weft_finalize has returned. A fork
 * becomes a thread when another worker takes it, or when its forker leaves its worker; it has no
 * events before. The adopted caller of weft_init has no CREATE and no END.
 * Errors: WEFT_NOMEM (only while the runtime runs).
 * Switches: never. Callers: any. */
WEFT_NODISCARD WEFT_API weft_status weft_ext_set_event_sink(void (*sink)(void *state, weft_event_kind kind, weft_thread *thread),
                                                            void *state);

/* Records in the trace (WEFT_TRACE) that something happened in the calling thread now.
 * name is a static string, by which `weft profile` counts the notes and adds up their values. It
 * ends in the unit of the value: "mylib: sent (bytes)", "mylib: answered (ns)". value says how
 * much, and is below 2^53. Without a trace, and for null, nothing is done.
 * Switches: never. Callers: any. */
WEFT_API void weft_ext_trace_note(const char *name, uint64_t value);

/* ---- starting the runtime for a layer -------------------------------------------------------- */

/* Starts the runtime, or nests in the one that runs, on behalf of a layer rather than a program.
 * The call does what weft_init does, and takes one weft_finalize, too. If it starts the runtime,
 * the first weft_init that follows is not ignored: it adds workers until there are as many as it
 * asks for, and if its locality is WEFT_LOCALITY_STEAL, all workers steal from then on, even if
 * config had another locality. So a library that brings a layer, as MPI may, and a program on
 * weft.h start in any order.
 * Errors: those of weft_init.
 * Switches: never. Callers: those of weft_init.
 * Undefined: what is undefined for weft_init. */
WEFT_NODISCARD WEFT_API weft_status weft_ext_init(const weft_config *config);

/* Returns the size of the stack of a ULT that asks for no size of its own (weft_config).
 * Returns: the size in bytes; 0 while the runtime does not run.
 * Switches: never. Callers: any. */
WEFT_API size_t weft_ext_stack_bytes(void);

/* ---- extension bytes and carried state ------------------------------------------------------- */

/* Reserves extension bytes in every unit, for the life of the process.
 * bytes is how many. Up to 256 bytes can be reserved altogether, in steps of 16, to which they are
 * aligned. They are zero in a new unit. *offset receives the offset for weft_ext_bytes.
 * Errors: WEFT_BUSY (the runtime runs), WEFT_INVALID (offset is null; bytes is 0 or too many).
 * Switches: never. Callers: any, before weft_init. */
WEFT_NODISCARD WEFT_API weft_status weft_ext_reserve(size_t bytes, size_t *offset);

/* Returns the address of extension bytes of a unit; offset is one that weft_ext_reserve gave.
 * Returns: the address, valid as long as the handle is good; null for null.
 * Switches: never. Callers: any.
 * Undefined: another offset. */
WEFT_API void *weft_ext_bytes(weft_thread *thread, size_t offset);

/* Tells dumps, reports and traces which function a builder's thread runs for its user.
 * For a thread that was created with the function bottom, they show another function: the
 * weft_function whose address lies at offset of the thread's extension bytes (weft_ext_bytes),
 * unless null lies there. The process has one bottom, which the last call sets; null removes it.
 * Switches: never. Callers: any, before weft_init. */
WEFT_API void weft_ext_show_function(weft_function bottom, size_t offset);

/* Leaves the signals to the program: from now on weft_init does not handle SIGQUIT unless
 * WEFT_DUMP_SIGNAL asks for it. A layer calls this if it starts the runtime for a program that may
 * not know of Weft.
 * Switches: never. Callers: any, before weft_init. */
WEFT_API void weft_ext_leave_signals(void);

/* What weft_ext_frames calls, on its caller's stack: code is the address at which the frame goes
 * on, and name a line that names it, valid during the call. */
typedef void (*weft_frame_visitor)(void *state, const void *code, const char *name);

/* Calls visit(state, code, name) for up to 32 frames of a thread that waits or is ready.
 *
 * The innermost frame comes first. If there are more frames, a last call has a null code, and a
 * name that says why they are not shown. A thread that has not started, or has ended, has no
 * frames. If the thread is resumed during the call, the call fails; but if the thread waits in the
 * same place again by then, the frames may be those of the earlier wait. The call starts an OS
 * thread for a moment, and blocks the calling one: it is for dumps, not for walks and callbacks
 * that must be short. Under WEFT_SCHEDULE, waits for a deadline take real time from then on.
 * Errors: WEFT_BUSY (the thread runs, was resumed meanwhile, is a scheduler ULT inside
 * weft_ext_dispatch, or runs another thread on its stack), WEFT_INVALID (thread or visit is null),
 * WEFT_NOMEM, WEFT_NOT_INITIALIZED, WEFT_UNSUPPORTED (no OS thread, or the system forbids
 * process_vm_readv of the own process). On failure visit was not called.
 * Switches: never. Callers: any.
 * Undefined: a thread that may be freed meanwhile; a call from an OS thread outside while
 * weft_finalize runs. */
WEFT_NODISCARD WEFT_API weft_status weft_ext_frames(const weft_thread *thread, weft_frame_visitor visit, void *state);

/* Registers state of the OS thread that must follow a ULT across switches, such as a language's
 * exception globals.
 *
 * The library calls address() on each worker's OS thread. It returns that OS thread's copy of the
 * state: bytes bytes (8, 16, 24 or 32), aligned to 8, all zero while there is nothing to carry, as
 * when a ULT starts and when it ends. The registration holds from the next weft_init on, for the
 * process's life. Only one layer may register; it may repeat the call.
 * Errors: WEFT_INVALID (address is null; another size), WEFT_BUSY (another layer has registered).
 * Switches: never. Callers: any. */
WEFT_NODISCARD WEFT_API weft_status weft_ext_carry(void *(*address)(void), size_t bytes);

#ifdef __cplusplus
}
#endif
#endif
