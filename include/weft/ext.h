/* Weft for builders: the verbs on which faces, schedulers, pools, languages and distributed layers
 * stand. The conventions of weft.h hold. The core's own loop is written on the same dispatch.
 *
 * Words
 *   Own          A builder owns a unit that it made by weft_ext_thread_make, or took out of a
 *                pool. It must run the unit (weft_ext_dispatch, or return it from next), put it
 *                into a pool, or, if the unit has not started, discard it.
 *   Home         The home of a unit is the pool into which it goes when it becomes ready. It is
 *                null for the default queue of the worker that makes the unit ready.
 *   Callback     A function that the library calls back runs without identity (weft_self() is
 *                null), and must not block or switch. Its comment says on which thread it runs.
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

/* Parks the calling ULT until another caller unparks it.
 *
 * After the caller's context is saved, commit(self, argument) runs on the worker, as a callback: it
 * publishes self to the future waker. If it returns false, the caller goes on at once. what is a
 * word for reports, such as "mutex"; null: "unpark".
 * Errors: WEFT_INVALID (commit is null), WEFT_CANNOT_BLOCK (the caller is a tasklet, or outside).
 * Switches: may. Callers: ULTs.
 * Undefined: commit blocks, switches, or calls anything that may. */
WEFT_NODISCARD WEFT_API weft_status weft_ext_park(bool (*commit)(weft_thread *self, void *argument), void *argument,
                                                  const char *what);

/* Parks the calling ULT as weft_ext_park does, and lets go of a lock that its waker must take.
 *
 * The caller holds the lock, a word that is 1 while it is held. The call first writes the caller's
 * handle to *self, which the waker may read inside the lock. Once the caller can be unparked, the
 * library sets the word to 0, with release; until then another OS thread that wants the lock spins
 * for the time of a switch. lock may be null where no other OS thread can unpark the caller. what
 * is as in weft_ext_park, and not null.
 * Errors: WEFT_INVALID (self or what is null), WEFT_CANNOT_BLOCK (the caller is a tasklet, or
 * outside), with the lock still held.
 * Switches: may. Callers: ULTs. */
WEFT_NODISCARD WEFT_API weft_status weft_ext_park_unlocking(uint32_t *lock, weft_thread **self, const char *what);

/* Makes a parked ULT ready. Each park wants exactly one unpark; for null, nothing is done. To run
 * the ULT at once, a ULT calls weft_yield_to afterwards, if the handle is still good then: another
 * worker may have run the ULT to its end.
 * Switches: never. Callers: any.
 * Undefined: a ULT that is neither parked by weft_ext_park or weft_ext_park_unlocking nor in its
 * commit, such as one that was unparked already. */
WEFT_API void weft_ext_unpark(weft_thread *thread);

/* Unparks a ULT without making it ready: the caller then owns it. For null, nothing is done.
 * Switches: never. Callers: any.
 * Undefined: a ULT that is neither parked by weft_ext_park or weft_ext_park_unlocking nor in its
 * commit. */
WEFT_API void weft_ext_unpark_owned(weft_thread *thread);

/* Calls function(argument) on the caller's stack, as if on an OS thread outside.
 *
 * In it weft_self() is null, and a call that waits blocks this worker's OS thread, with all that is
 * queued there. It is for tasklets that must block. Use it only if the waker runs on another
 * worker; otherwise this deadlocks, always so under WEFT_SCHEDULE, where all workers share one OS
 * thread. Deadlock reports do not see such a wait. weft_yield does nothing in function, and calls
 * for ULTs alone return WEFT_CANNOT_BLOCK. A mutex that function locks belongs to the OS thread:
 * unlock it in another call of weft_ext_call_outside on the same worker.
 * Errors: WEFT_INVALID (function is null).
 * Switches: never. Callers: any. */
WEFT_NODISCARD WEFT_API weft_status weft_ext_call_outside(weft_function function, void *argument);

/* ---- units that a builder owns --------------------------------------------------------------- */

/* Makes a ULT, or a tasklet, that the caller owns and that is not ready yet.
 *
 * function, argument and attr are those of weft_thread_create and weft_tasklet_create. The unit is
 * detached only if attr says so. An event sink is told of its creation, and again when it is
 * revived; it is not told when its owner makes it ready or discards it.
 * Errors: those of weft_thread_create, WEFT_INVALID (out is null).
 * Switches: never. Callers: any. */
WEFT_NODISCARD WEFT_API weft_status weft_ext_thread_make(weft_function function, void *argument, const weft_thread_attr *attr,
                                                         bool tasklet, weft_thread **out);

/* Makes a ULT, or a tasklet, that the caller owns, and that runs function on a copy of size bytes.
 *
 * bytes and size are those of weft_thread_create_copy, the rest that of weft_ext_thread_make. The
 * copy goes when function has returned, or with weft_ext_thread_discard.
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
 *
 * The unit calls function(its own handle); what else it needs lies in its extension bytes. Its home
 * is pool, which may be null. kind is 0, or made of weft_make_kind.
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

/* Makes a thread as weft_thread_create does, for a layer that makes it in the name of its caller.
 *
 * Dumps, reports and traces name the thread by place instead of by its function, which is the
 * layer's, and say that it was made there. The C++ headers call this. place is constant data that
 * stays loaded as long as the thread lives, or null: unknown.
 * Errors: those of weft_thread_create.
 * Switches: never. Callers: any. */
WEFT_NODISCARD WEFT_API weft_status weft_ext_thread_create_at(weft_function function, void *argument,
                                                              const weft_thread_attr *attr, weft_thread **out,
                                                              const weft_ext_place *place);

/* Creates a thread as weft_thread_create_copy does, for a layer that writes the bytes itself.
 *
 * fill(memory, source) writes size bytes, on the caller's stack, before the thread can run. It is
 * called if the call succeeds, and only then. place is that of weft_ext_thread_create_at. The C++
 * headers create threads with their closures so.
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

/* Waits until a thread has ended, and leaves its descriptor.
 *
 * The caller then joins the thread (which returns at once), revives it, or looks at its extension
 * bytes.
 * Errors: those of weft_thread_join.
 * Switches: may. Callers: any.
 * Undefined: what is undefined for weft_thread_join. */
WEFT_NODISCARD WEFT_API weft_status weft_ext_thread_wait(weft_thread *thread);

/* Restarts a thread that has ended and was not joined: it runs function(argument).
 *
 * The thread keeps its handle, id, name, home, pinning, stack size (and a stack of the user's) and
 * extension bytes. Its values of keys were destroyed when it ended. The caller must have the right
 * to join the thread. It then owns the thread.
 * Errors: WEFT_INVALID (thread or function is null; the worker that the thread was pinned to is
 * gone), WEFT_BUSY (it has not ended), WEFT_NOMEM (no stack of its size; it can still be joined).
 * Switches: never. Callers: any.
 * Undefined: a thread that was joined, or is detached. */
WEFT_NODISCARD WEFT_API weft_status weft_ext_thread_revive(weft_thread *thread, weft_function function, void *argument);

/* ---- pools ----------------------------------------------------------------------------------- */

/* Why a unit is put into a pool. WEFT_PUSH_YIELDED is also used for a unit that was popped but
 * could not start because no stack was available. */
typedef enum weft_push_reason {
  WEFT_PUSH_NEW,     /* the unit was just made */
  WEFT_PUSH_YIELDED, /* it yielded */
  WEFT_PUSH_WOKEN,   /* it waited, and was woken */
  WEFT_PUSH_MIGRATED /* it comes from another pool or worker */
} weft_push_reason;

/* What a builder's own pool does. The functions are callbacks: any worker, and OS threads outside,
 * may call them at the same time. */
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
  /* Frees state; null: nothing to do. */
  void (*destroy)(void *state);
} weft_pool_ops;

/* Creates a pool of the builder's own, which no worker serves yet.
 * The library copies *ops and passes state to its functions. *out receives the pool, which the
 * caller owns until weft_pool_destroy.
 * Errors: WEFT_INVALID (ops or out is null; ops has a wrong size, or no push, pop or count; access
 * is not a value of weft_pool_access), WEFT_NOMEM.
 * Switches: never. Callers: any, also while the runtime does not run. */
WEFT_NODISCARD WEFT_API weft_status weft_ext_pool_create(const weft_pool_ops *ops, void *state, weft_pool_access access,
                                                         weft_pool **out);

/* Takes the next unit out of a pool.
 * Returns: the unit, which the caller then owns; null if none is ready, and for null.
 * Switches: never. Callers: any. */
WEFT_API weft_thread *weft_ext_pool_pop(weft_pool *pool);

/* Takes the unit that would run last out of a built-in pool.
 * Returns: the unit, which the caller then owns; null if none is ready, for a pool of
 * weft_ext_pool_create, and for null.
 * Switches: never. Callers: any. */
WEFT_API weft_thread *weft_ext_pool_pop_last(weft_pool *pool);

/* Puts an owned unit into a pool, which becomes its home, and wakes a worker that serves the pool.
 * Errors: WEFT_INVALID (pool or unit is null; reason is not a value of weft_push_reason). After an
 * error the caller still owns the unit.
 * Switches: never. Callers: any.
 * Undefined: a unit that the caller does not own. */
WEFT_NODISCARD WEFT_API weft_status weft_ext_pool_push(weft_pool *pool, weft_thread *unit, weft_push_reason reason);

/* Takes a given unit out of the middle of a pool.
 * Returns: true if the caller then owns the unit; false if it is not there, or the pool cannot
 * remove units (weft_pool_ops).
 * Switches: never. Callers: any. */
WEFT_NODISCARD WEFT_API bool weft_ext_pool_remove(weft_pool *pool, weft_thread *unit);

/* Takes a unit out of its home, if that is one of count pools.
 * Returns: true if the caller then owns the unit; false if its home is another pool, if it is not
 * there, or if the pool cannot remove units.
 * Switches: never. Callers: any. */
WEFT_NODISCARD WEFT_API bool weft_ext_pool_remove_from(weft_pool *const *pools, size_t count, weft_thread *unit);

/* Calls each(state, unit) for the ready units of a built-in pool, in the order in which
 * weft_ext_pool_pop would take them. each runs on the caller's stack, with the caller's identity,
 * and inside the pool's lock: it must be short and call nothing that pushes or pops. For a pool of
 * weft_ext_pool_create, and if pool or each is null, nothing is done.
 * Switches: never. Callers: any. */
WEFT_API void weft_ext_pool_walk(weft_pool *pool, void (*each)(void *state, weft_thread *unit), void *state);

/* Wakes the callers that wait for work in a pool (weft_ext_wait_for_work), so that they look again.
 * Switches: never. Callers: any. */
WEFT_API void weft_ext_pool_notify(weft_pool *pool);

/* Returns the home of a thread.
 * Returns: the pool; null for the worker's default queue, and for null.
 * Switches: never. Callers: any. */
WEFT_API weft_pool *weft_ext_thread_pool(const weft_thread *thread);

/* Makes a pool the home of a thread; null: the worker's default queue.
 * The thread is one that the caller owns, one that has ended, or the caller itself, be it the
 * adopted caller of weft_init, which is pinned to worker 0 until it calls weft_pin.
 * Errors: WEFT_INVALID (thread is null).
 * Switches: never. Callers: any.
 * Undefined: any other thread. */
WEFT_NODISCARD WEFT_API weft_status weft_ext_thread_set_pool(weft_thread *thread, weft_pool *pool);

/* ---- schedulers ------------------------------------------------------------------------------ */

/* A frameless scheduler. A worker calls next as a callback, on its current stack, whenever it needs
 * a unit. next answers at once; null: nothing for now. The worker then looks at its inbox, timers
 * and sources, idles, and asks again. Units run on the worker's stacks and switch directly. */
typedef struct weft_scheduler_ops {
  size_t size; /* sizeof(weft_scheduler_ops) */
  /* Names a unit, which the worker then owns. */
  weft_thread *(*next)(void *state, unsigned worker);
} weft_scheduler_ops;

/* Gives a worker a frameless scheduler; ops null: the built-in one.
 * The library copies *ops. The call waits while the worker is inside next of the old scheduler,
 * which is never called for that worker again: the caller may then free the old state.
 * Errors: WEFT_INVALID (no such worker, or it is being removed; ops has a wrong size or no next),
 * WEFT_NOMEM, WEFT_NOT_INITIALIZED.
 * Switches: never. Callers: any, not from within next. */
WEFT_NODISCARD WEFT_API weft_status weft_ext_worker_set_scheduler(unsigned worker, const weft_scheduler_ops *ops, void *state);

/* Runs an owned unit, and returns when it has ended, parked or yielded.
 *
 * The caller is a scheduler ULT; the unit runs on a stack of its own. A unit that yielded is back
 * in its pool, or will be. A unit that was asked to migrate is sent there instead of being run.
 * Calls nest: a unit may dispatch others.
 * Errors: WEFT_CANNOT_BLOCK (the caller is a tasklet, or outside), WEFT_INVALID (unit is null, or
 * pinned to another worker), WEFT_NOMEM (no stack). On failure the caller still owns the unit.
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
   * - It must return null now and then: timers, the inbox and weft_ext_should_stop are only served
   *   between rows.
   * - A unit that it returned and that cannot run here is requeued: it is pinned elsewhere, or no
   *   memory is left for its stack. */
  weft_thread *(*next)(void *state, weft_thread *yielding);
  void *state; /* for next and accepts */

  /* A built-in pool without priorities. If it is null, next is always called, and the fields below
   * have no meaning. While *left is not 0, the first unit of the pool is taken directly, without
   * calling next, if it can be resumed directly and accepts(state, unit) is true. */
  weft_pool *pool;
  /* Called from where next is called, but inside the lock of pool, and with or without an identity.
   * It may only call those functions of Weft that read unit itself, for example its extension
   * bytes. */
  bool (*accepts)(void *state, weft_thread *unit);
  unsigned *left; /* reduced by one after each unit that was taken directly; should be small */
} weft_row;

/* Runs an owned unit, and then the other units of a row.
 * row must stay until the return. The errors of weft_ext_dispatch concern the first unit only.
 * Errors: those of weft_ext_dispatch, WEFT_INVALID (row is null, or has a wrong size, no next, or a
 * pool without accepts or left).
 * Switches: may. Callers: ULTs.
 * Undefined: a unit that the caller does not own. */
WEFT_NODISCARD WEFT_API weft_status weft_ext_dispatch_in_turn(weft_thread *unit, const weft_row *row);

/* Runs an owned unit now in the caller's place, and makes the caller ready again.
 *
 * If a scheduler ULT dispatched the caller, the unit runs under that scheduler, and returns to it
 * instead of the caller. Once its context is saved, the caller is requeued in its pool: at the end,
 * or, if as_new is true, at the position of a newly created unit. If the unit is a tasklet, it runs
 * at once, and the caller yields after it. If the unit was asked to migrate, it migrates, and the
 * caller yields. On a worker that is being removed, a few more units may still be run in this way;
 * after that the call requeues the unit, and the caller yields.
 * Errors: WEFT_CANNOT_BLOCK (the caller is a tasklet, or outside), WEFT_INVALID (unit is null, or
 * pinned to another worker), WEFT_NOMEM (no stack). On failure the caller still owns the unit.
 * Switches: may. Callers: ULTs.
 * Undefined: a unit that the caller does not own. */
WEFT_NODISCARD WEFT_API weft_status weft_ext_yield_to_owned(weft_thread *unit, bool as_new);

/* Yields, and requeues the caller at the position of a newly created unit in a built-in pool.
 * A caller without a pool, or outside, yields as by weft_yield; in a tasklet nothing is done.
 * Switches: may. Callers: any. */
WEFT_API void weft_ext_yield_as_new(void);

/* Yields to the first ready unit of the caller's own pool, in one short step.
 *
 * The unit runs in the caller's place, as by weft_ext_yield_to_owned, and the caller becomes the
 * pool's last unit. Before that, accepts(state, unit) is called inside the locks of the pool and of
 * the worker. It must be short, and may only call those functions of Weft that read unit itself,
 * for example its extension bytes. The call fails with WEFT_BUSY if
 * - accepts returned false;
 * - the unit cannot be resumed here directly: it has not started, is pinned to another worker, or
 *   was asked to migrate;
 * - the caller has no pool, or its pool has priorities, or is one of weft_ext_pool_create;
 * - the caller keeps FP control, carries state that is not zero (weft_ext_carry), has forks that
 *   were not joined, or was asked to migrate;
 * - a schedule, an event sink, WEFT_TRACE, WEFT_MIGRATE or WEFT_LOCALITY_DOMAIN is set;
 * - another worker or OS thread holds the lock of the pool or of the worker at that moment;
 * - the worker has to poll its timers and sources, as it does once in some 64 switches.
 *
 * Returns: WEFT_OK after the caller was resumed.
 * Errors: WEFT_AGAIN (no other unit is ready in the pool), WEFT_CANNOT_BLOCK (the caller is a
 * tasklet, or outside), WEFT_INVALID (accepts is null), WEFT_BUSY (see above: pop a unit, and call
 * weft_ext_yield_to_owned). On failure nothing was done.
 * Switches: may. Callers: ULTs. */
WEFT_NODISCARD WEFT_API weft_status weft_ext_yield_in_pool(bool (*accepts)(void *state, weft_thread *unit), void *state);

/* Tells a scheduler ULT whether it should return, and polls the timers, the sources and the inbox
 * of this worker.
 * Returns: true if the worker is being removed, if the runtime ends, or if the caller is outside,
 * where nothing is polled; else false.
 * Switches: never. Callers: any. */
WEFT_API bool weft_ext_should_stop(void);

/* Waits until there may be work in one of count pools.
 *
 * The call is for scheduler ULTs with nothing to dispatch, and for OS threads outside. It lets the
 * worker's other units run, or the worker idle, until a unit was pushed to one of the pools, a pool
 * was notified, or the runtime is about to end. A worker with nothing else to run first looks at
 * the pools again and again, for as long as WEFT_SPIN says. pools must not change meanwhile.
 *
 * is_wanted may be null. It is called now and then, and for the last time when a notification would
 * already be heard; if it returns true, the call returns at once. So a change that it looks at is
 * not missed if weft_ext_pool_notify follows the change. The library may hold a lock around it: it
 * must not block, switch, notify, or make units ready.
 * Errors: WEFT_INVALID (pools is null, and count is not 0), WEFT_TIMEOUT, WEFT_CANNOT_BLOCK (the
 * caller is a tasklet), WEFT_NOT_INITIALIZED.
 * Switches: may. Callers: ULTs and OS threads outside. */
WEFT_NODISCARD WEFT_API weft_status weft_ext_wait_for_work(weft_pool *const *pools, size_t count, uint64_t deadline_ns,
                                                           bool (*is_wanted)(void *argument), void *argument);

/* ---- outside sources of work ----------------------------------------------------------------- */

/* Adds a source, which workers poll; weft_ext_source_add_at: which one of them polls.
 *
 * Busy workers call poll(state) now and then, and idle ones before they sleep, as a callback; one
 * worker polls a source at a time. poll makes units ready (by unpark, create, set) and returns how
 * many. A source that is never removed is freed with the runtime. *out receives the source.
 * Errors: WEFT_INVALID (poll or out is null), WEFT_NOT_INITIALIZED, WEFT_NOMEM, WEFT_AGAIN (there
 * are 64 sources).
 * Switches: never. Callers: any. */
WEFT_NODISCARD WEFT_API weft_status weft_ext_source_add(size_t (*poll)(void *state), void *state, weft_source **out);

/* Adds a source whose poll finds work only after a call of weft_ext_source_notify.
 *
 * The call does what weft_ext_source_add does, except that a deadlock is reported although the
 * source is there. It is for requests to the workers that any OS thread or a signal handler may
 * make, and that most programs never make.
 * Errors: those of weft_ext_source_add.
 * Switches: never. Callers: any. */
WEFT_NODISCARD WEFT_API weft_status weft_ext_bell_add(size_t (*poll)(void *state), void *state, weft_source **out);

/* Removes a source, after a running poll has returned: poll is not called again, and the caller may
 * free its state. The source's own memory is freed when the runtime ends.
 * Errors: WEFT_INVALID (source is null, or none of this runtime), WEFT_DEADLOCK (the caller is the
 * source's own poll), WEFT_NOT_INITIALIZED.
 * Switches: never. Callers: any. */
WEFT_NODISCARD WEFT_API weft_status weft_ext_source_remove(weft_source *source);

/* Has a worker poll a source soon, and wakes a sleeping worker for that, unless one looks for work
 * already.
 * The call takes no lock, so that a signal handler may wake threads by a source whose poll makes
 * them ready. For null, and while the runtime does not run, nothing is done. A removed source may
 * be notified until the runtime ends.
 * Switches: never. Callers: any, signal handlers included.
 * Undefined: a source of a runtime that has ended. */
WEFT_API void weft_ext_source_notify(weft_source *source);

/* ---- stacks ---------------------------------------------------------------------------------- */

/* Where the memory of stacks comes from. */
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
 * Errors: WEFT_BUSY (the runtime runs), WEFT_INVALID (provider has a wrong size, or no map).
 * Switches: never. Callers: any, before weft_init. */
WEFT_NODISCARD WEFT_API weft_status weft_ext_set_stack_provider(const weft_stack_provider *provider);

/* Tells where the stack of a thread is now.
 * *base receives its lowest address and *bytes its size, null and 0 while the thread has none; base
 * and bytes may be null.
 * Switches: never. Callers: any.
 * Undefined: a thread that may run or move meanwhile, unless it is the caller. */
WEFT_API void weft_ext_thread_stack(const weft_thread *thread, void **base, size_t *bytes);

/* ---- events ---------------------------------------------------------------------------------- */

/* What an event sink is told of. The events of a thread come in this order: CREATE; READY; maybe
 * STEAL; RUN; then YIELD, or PARK and READY, and RUN again, as often as the thread leaves its
 * worker; END; and JOIN, if it is joined. */
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

/* Has the library tell sink of every event of every thread; null: of none.
 *
 * sink is a callback, on the worker, or the OS thread outside, where the event happens. Weft may
 * hold a lock around it, as that of the object at which a thread parks. sink may read clocks and
 * what is known of threads (ids, names, extension bytes), and use locks of its own. It must not
 * make, wake, join or move threads (checked builds name it), or use objects at which callers of
 * Weft wait.
 *
 * A sink that is set before weft_init is told of every event. If a sink is set, replaced or removed
 * while the runtime runs, each worker notices that at its next event. Of threads that go through no
 * pool and no scheduler ULT, such a sink may miss events. After the return, calls of the old sink
 * that have begun may still run: keep its state and code until weft_finalize has returned. A fork
 * becomes a thread when another worker takes it, or when its forker leaves its worker; it has no
 * events before. The adopted caller of weft_init has no CREATE and no END.
 * Errors: WEFT_NOMEM (only while the runtime runs).
 * Switches: never. Callers: any. */
WEFT_NODISCARD WEFT_API weft_status weft_ext_set_event_sink(void (*sink)(void *state, weft_event_kind kind, weft_thread *thread),
                                                            void *state);

/* Puts a note of the calling thread into the trace (WEFT_TRACE): something that happened in a
 * builder, now.
 *
 * name is a static string, by which `weft profile` counts the notes and adds up their values; it
 * ends in the unit of the value: "mylib: sent (bytes)", "mylib: answered (ns)". value belongs to
 * what happened; it is below 2^53. Without a trace nothing is done.
 * Switches: never. Callers: any. */
WEFT_API void weft_ext_trace_note(const char *name, uint64_t value);

/* ---- starting the runtime for a layer -------------------------------------------------------- */

/* Starts the runtime, or nests in the one that runs, on behalf of a layer rather than a program.
 *
 * The call does what weft_init does, and wants one weft_finalize, too. If it starts the runtime,
 * the first weft_init that follows is not ignored: it adds workers until there are as many as it
 * asks for. If its locality is WEFT_LOCALITY_STEAL, all workers steal from then on, even if config
 * had another locality. So a library that brings a layer, as MPI may, and a program on weft.h start
 * in any order.
 * Errors: those of weft_init.
 * Switches: never. Callers: those of weft_init.
 * Undefined: what is undefined for weft_init. */
WEFT_NODISCARD WEFT_API weft_status weft_ext_init(const weft_config *config);

/* Returns the size of the stack of a ULT that asks for no size of its own, as weft_config or
 * WEFT_STACK_SIZE sets it.
 * Returns: the size in bytes; 0 while the runtime does not run.
 * Switches: never. Callers: any. */
WEFT_API size_t weft_ext_stack_bytes(void);

/* ---- extension bytes and carried state ------------------------------------------------------- */

/* Reserves extension bytes in every unit, for the life of the process.
 * Up to 256 bytes can be reserved altogether, in steps of 16, to which they are aligned. They are
 * zero in a new unit. *offset receives the offset for weft_ext_bytes.
 * Errors: WEFT_BUSY (the runtime runs), WEFT_INVALID (offset is null; bytes is 0, or more than are
 * left).
 * Switches: never. Callers: any, before weft_init. */
WEFT_NODISCARD WEFT_API weft_status weft_ext_reserve(size_t bytes, size_t *offset);

/* Returns the extension bytes of a unit.
 * offset is one of weft_ext_reserve.
 * Returns: their address, as long as the thread's handle is good; null for null.
 * Switches: never. Callers: any.
 * Undefined: another offset. */
WEFT_API void *weft_ext_bytes(weft_thread *thread, size_t offset);

/* Tells dumps, reports and traces which function a builder's thread runs for its user.
 * They show a thread that was started with the function bottom as running another function: the
 * weft_function whose address lies at offset of the thread's extension bytes (weft_ext_bytes). The
 * bytes hold null as long as that function is not known. One bottom can be set; null removes it.
 * Switches: never. Callers: any, before weft_init. */
WEFT_API void weft_ext_show_function(weft_function bottom, size_t offset);

/* Leaves the signals to the program: from now on weft_init does not handle SIGQUIT unless
 * WEFT_DUMP_SIGNAL asks for it. A layer calls this if it starts the runtime for a program that may
 * not know of Weft.
 * Switches: never. Callers: any, before weft_init. */
WEFT_API void weft_ext_leave_signals(void);

/* What weft_ext_frames calls: code is where the frame goes on, and name a line that names it, valid
 * during the call. */
typedef void (*weft_frame_visitor)(void *state, const void *code, const char *name);

/* Calls visit for up to 32 frames of a thread that waits or is ready to go on, innermost first.
 *
 * If there are more frames, a last call has a null code, and a name that says why they are not
 * shown. A thread that has not started, or has ended, has no frames. If the thread is resumed
 * during the call, the call fails; but if the thread waits in the same place again by then, the
 * frames may be those of the earlier wait. The call starts an OS thread for a moment, and blocks
 * the caller's: it is for dumps, not for walks and callbacks that must be short. Under
 * WEFT_SCHEDULE, waits for a deadline take real time from then on.
 * Errors: WEFT_BUSY (the thread runs, was resumed meanwhile, is a scheduler ULT inside
 * weft_ext_dispatch, or lends its stack to another thread), WEFT_INVALID (thread or visit is null),
 * WEFT_NOMEM, WEFT_NOT_INITIALIZED, WEFT_UNSUPPORTED (no OS thread, or the system forbids
 * process_vm_readv of the own process). On failure visit was not called.
 * Switches: never. Callers: any.
 * Undefined: a thread that may be freed meanwhile; a call from an OS thread outside while
 * weft_finalize runs. */
WEFT_NODISCARD WEFT_API weft_status weft_ext_frames(const weft_thread *thread, weft_frame_visitor visit, void *state);

/* Registers state of the OS thread that must follow a ULT across switches, such as a language's
 * exception globals.
 *
 * address() returns the calling OS thread's copy of the state: 8, 16, 24 or 32 bytes, aligned to 8.
 * All of them are zero while there is nothing to carry, as when a ULT starts and when it ends. The
 * registration holds from the next weft_init on, for the process's life.
 * Only one layer may register; it may repeat the call.
 * Errors: WEFT_INVALID (address is null; another size), WEFT_BUSY (another layer has registered).
 * Switches: never. Callers: any. */
WEFT_NODISCARD WEFT_API weft_status weft_ext_carry(void *(*address)(void), size_t bytes);

#ifdef __cplusplus
}
#endif
#endif
