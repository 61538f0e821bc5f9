/* Weft for builders: the verbs on which faces, schedulers, pools, languages and distributed layers stand. weft.h's conventions
 * hold. The core's own loop is written on the same dispatch.
 *
 * A unit is a weft_thread that is ready or running. Whoever takes a unit out of a pool owns it: it must run it (weft_ext_dispatch,
 * or by returning it from next), or put it back into a pool.
 */
#ifndef WEFT_EXT_H
#define WEFT_EXT_H

#include <weft/weft.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- park and unpark --------------------------------------------------------------------------------------------- */

/* Parks the calling ULT. After its context is saved, commit(self, argument) runs on the worker without identity: it publishes
 * self to whoever will unpark it. It must not block, switch or call anything that may; if it returns false the caller
 * goes on at once. Returns after an unpark. WEFT_CANNOT_BLOCK from a tasklet or outside. what: a word for reports ("mutex"). */
WEFT_NODISCARD WEFT_API weft_status weft_ext_park(bool (*commit)(weft_thread *self, void *argument), void *argument,
                                                  const char *what);
/* Makes a parked ULT ready. Exactly once per park; any caller. Undefined: a ULT that is not parked, nor in its commit. */
WEFT_API void weft_ext_unpark(weft_thread *thread);
/* As weft_ext_unpark, but the ULT goes into no queue: the caller owns it, as if it had taken it from a pool. */
WEFT_API void weft_ext_unpark_owned(weft_thread *thread);
/* As yield_to for a parked ULT: unparks it and runs it now on this worker, if it is not elsewhere already; the caller goes behind the
 * ready units, but for the turn that who has waited long gets now and then. WEFT_INVALID: null; WEFT_CANNOT_BLOCK: tasklet, outside. Undefined: as weft_ext_unpark. */
WEFT_NODISCARD WEFT_API weft_status weft_ext_unpark_and_yield_to(weft_thread *thread);

/* Calls function(argument) as an OS thread outside would be called: without identity (weft_self() is null), and what waits in it blocks
 * this worker's OS thread, with all that is queued there. For callers that must not switch and yet must wait, as a tasklet, where whoever
 * will wake them is known to run elsewhere; under WEFT_SCHEDULE, where all workers share one OS thread, nobody is. Reports of deadlocks do not see
 * such a wait. A mutex locked in it belongs to the OS thread: unlock it so, too. It must not switch (yield,
 * join of what is queued here only, dispatch). WEFT_INVALID: null. */
WEFT_NODISCARD WEFT_API weft_status weft_ext_call_outside(weft_function function, void *argument);

/* ---- units that a builder owns ------------------------------------------------------------------------------------ */

/* As weft_thread_create and weft_tasklet_create, but the unit is not made ready: the caller owns it as if it had taken it from a pool. It is
 * detached only if attr says so. Errors as there, but that out must not be null. Never switches. An event sink is told of its creation, and again
 * when it is revived, not when its owner makes it ready or discards it. */
WEFT_NODISCARD WEFT_API weft_status weft_ext_thread_make(weft_function function, void *argument, const weft_thread_attr *attr,
                                                         bool tasklet, weft_thread **out);
/* The same in fewer instructions, for units without attributes but a pool (null: none), which call function(their own handle): what else they
 * need lies in their extension bytes. kind: 0 for a ULT that somebody joins, or of weft_make_kind. */
typedef enum weft_make_kind { WEFT_MAKE_TASKLET = 1, WEFT_MAKE_DETACHED = 2 } weft_make_kind;
WEFT_NODISCARD WEFT_API weft_status weft_ext_thread_make_in(weft_pool *pool, weft_function function, unsigned kind,
                                                            weft_thread **out);
/* Frees an owned unit that has not started; null: nothing. Its handle is not good for any other call afterwards. */
WEFT_API void weft_ext_thread_discard(weft_thread *owned);
/* Waits for the end of thread as weft_thread_join does, but leaves the descriptor: the caller joins it (which then returns at once),
 * revives it, or looks at its extension bytes. May switch. Errors: as weft_thread_join. */
WEFT_NODISCARD WEFT_API weft_status weft_ext_thread_wait(weft_thread *thread);
/* Lets an ended thread that was not joined begin anew with function(argument): same handle, id, name, pool, pinning, stack size (and user's
 * stack) and extension bytes; the caller owns it as if it had taken it from a pool. Values of keys are gone, they went with the end. Whoever
 * may join it may call this. Never switches. Errors: WEFT_INVALID (null; the worker that it was pinned to is gone), WEFT_BUSY (has not ended),
 * WEFT_NOMEM (no stack of its size: it can still be joined). */
WEFT_NODISCARD WEFT_API weft_status weft_ext_thread_revive(weft_thread *thread, weft_function function, void *argument);

/* ---- pools ------------------------------------------------------------------------------------------------------- */

/* As one that yields comes back, too, who was taken out when there was no memory for a stack to begin on. */
typedef enum weft_push_reason { WEFT_PUSH_NEW, WEFT_PUSH_YIELDED, WEFT_PUSH_WOKEN, WEFT_PUSH_MIGRATED } weft_push_reason;

/* Callbacks may run on any worker and outside, concurrently; they must not block or switch and have no identity.
 * pop may return null although count is not 0. */
typedef struct weft_pool_ops {
  size_t size; /* sizeof(weft_pool_ops) */
  void (*push)(void *state, weft_thread *unit, weft_push_reason reason);
  weft_thread *(*pop)(void *state);
  size_t (*count)(void *state);                   /* ready units */
  bool (*remove)(void *state, weft_thread *unit); /* null: yield_to of a unit in this pool yields instead */
  void (*destroy)(void *state);                   /* null: nothing to do */
} weft_pool_ops;

WEFT_NODISCARD WEFT_API weft_status weft_ext_pool_create(const weft_pool_ops *ops, void *state, weft_pool_access access,
                                                         weft_pool **out);
WEFT_API void *weft_ext_pool_state(const weft_pool *pool); /* of a pool made by weft_ext_pool_create; otherwise null */
WEFT_API weft_thread *weft_ext_pool_pop(weft_pool *pool);  /* null: nothing ready. The caller then owns the unit */
/* The same, from the end of a pool of weft_pool_create: the unit that would run last. Of other pools: null. */
WEFT_API weft_thread *weft_ext_pool_pop_last(weft_pool *pool);
/* Puts an owned unit into pool, which becomes its home, and wakes a worker that serves it. */
WEFT_NODISCARD WEFT_API weft_status weft_ext_pool_push(weft_pool *pool, weft_thread *unit, weft_push_reason reason);
/* Takes unit out of the middle of pool. True: the caller owns it. False: it is not there, or the pool cannot do that (weft_pool_ops.remove). */
WEFT_NODISCARD WEFT_API bool weft_ext_pool_remove(weft_pool *pool, weft_thread *unit);
/* The same for whichever of count pools is unit's home. False: none is, or as above. */
WEFT_NODISCARD WEFT_API bool weft_ext_pool_remove_from(weft_pool *const *pools, size_t count, weft_thread *unit);
/* Calls each(state, unit) for the ready units of a pool of weft_pool_create, in the order in which they would run, inside the pool's lock: each
 * must be short and call nothing that pushes or pops. Of other pools: nothing. */
WEFT_API void weft_ext_pool_walk(weft_pool *pool, void (*each)(void *state, weft_thread *unit), void *state);
/* Those who wait for work in pool (weft_ext_wait_for_work) look again. Any caller. */
WEFT_API void weft_ext_pool_notify(weft_pool *pool);
WEFT_API weft_pool *weft_ext_thread_pool(const weft_thread *thread); /* its home; null: the worker's default queue */
/* Makes pool (null: the worker's default queue) the home of thread, to which it goes when it becomes ready again. thread: owned, ended, or the
 * caller itself, be it the adopted caller of weft_init, which is pinned to worker 0 until it calls weft_pin.
 * WEFT_INVALID: null. Undefined: any other thread. */
WEFT_NODISCARD WEFT_API weft_status weft_ext_thread_set_pool(weft_thread *thread, weft_pool *pool);

/* ---- schedulers -------------------------------------------------------------------------------------------------- */

/* Frameless: next is called on the worker's current stack whenever it needs a unit and answers at once; null: nothing for now
 * (the worker then looks at its inbox, timers and sources, idles, and asks again). Units run on the worker's stacks and switch
 * directly. */
typedef struct weft_scheduler_ops {
  size_t size;                                        /* sizeof(weft_scheduler_ops) */
  weft_thread *(*next)(void *state, unsigned worker); /* as pool callbacks: without identity, must not block or switch */
} weft_scheduler_ops;
/* ops null: the built-in one. Waits while the worker is inside the old one's next, which is never called for that worker again: its state may go.
 * Not from within next. WEFT_INVALID: no such worker, or it is being removed. */
WEFT_NODISCARD WEFT_API weft_status weft_ext_worker_set_scheduler(unsigned worker, const weft_scheduler_ops *ops, void *state);

/* A scheduler that is itself a ULT: runs unit, which the caller owns, on a stack of its own; returns when it ended, parked or
 * yielded (it is then in its pool, or will be). Nests: a unit may dispatch others. Errors: WEFT_CANNOT_BLOCK (tasklet, outside),
 * WEFT_INVALID (null; unit pinned to another worker), WEFT_NOMEM (no stack; the caller still owns the unit). */
WEFT_NODISCARD WEFT_API weft_status weft_ext_dispatch(weft_thread *unit);
/* A row of units that run one after the other, straight from one to the other: whenever one has ended, parked or yielded, next names the
 * following one, which the caller then owns, until it returns null. yielding: the unit that left, if it will go back into its pool right
 * afterwards; else null. next is called on the worker as pool callbacks are, without identity, maybe inside the lock of the object at which the unit
 * before waits: it must not block, switch, push, wake or notify, takes units from built-in pools or its own lists, and never returns yielding. It
 * must return null now and then: timers, mail and weft_ext_should_stop have their turn only between rows. One that it named and that cannot be run
 * here (pinned elsewhere, no memory for its stack) goes home.
 * As long as *left is not 0, the first unit of pool, one of weft_pool_create without priorities, is taken without a question to next where it
 * only has to be entered and accepts(state, unit) is true; *left is one less then. So *left, too, should be small. accepts is called where next
 * is, but inside the lock of pool, and whether it has an identity is undefined: it calls nothing of Weft but what reads unit itself, as its
 * extension bytes. */
typedef struct weft_row {
  size_t size; /* sizeof(weft_row) */
  weft_thread *(*next)(void *state, weft_thread *yielding);
  void *state;
  weft_pool *pool; /* null: next is always asked, and the rest means nothing */
  bool (*accepts)(void *state, weft_thread *unit);
  unsigned *left;
} weft_row;
/* Dispatches unit, and then the others of row, which stays until the return. Errors: as weft_ext_dispatch, for the first; WEFT_INVALID (null,
 * wrong size, no next, pool without accepts or left). */
WEFT_NODISCARD WEFT_API weft_status weft_ext_dispatch_in_turn(weft_thread *unit, const weft_row *row);
/* As weft_yield, but unit, which the caller owns, runs now in the caller's place: under the scheduler ULT that dispatched the caller, if one did,
 * to which it returns instead of the caller. The caller goes back into its pool once its context is saved; as_new: to where a
 * new unit would come in a pool of weft_pool_create, not to its end. A tasklet runs at once, and the caller yields after it. A unit that was asked
 * to move is sent there, and on a worker that is being removed, after a few more units, a ULT goes home; then the caller just yields. Errors:
 * WEFT_CANNOT_BLOCK (tasklet, outside), WEFT_INVALID (null; unit pinned to another worker), WEFT_NOMEM (no stack); then the caller still owns
 * the unit. */
WEFT_NODISCARD WEFT_API weft_status weft_ext_yield_to_owned(weft_thread *unit, bool as_new);
/* As weft_yield, but the caller goes back into its pool as new, as above. */
WEFT_API void weft_ext_yield_as_new(void);
/* The short way to yield in a pool: in one step the first ready unit of the caller's pool runs in the caller's place, as by
 * weft_ext_yield_to_owned, and the caller becomes the pool's last. accepts(state, unit) is called before, inside locks of the pool and of the
 * worker: it must be short, and calls nothing of Weft but what reads unit itself, as its extension bytes. WEFT_OK: the caller had its turn again.
 * Otherwise nothing was done: WEFT_AGAIN (nobody else is ready there), WEFT_CANNOT_BLOCK (tasklet, outside), WEFT_INVALID (null), WEFT_BUSY: that
 * unit was not accepted, or needs more than to be entered, as a new one does; the pool has priorities, is none of weft_pool_create, or there is
 * none; the caller keeps FP control, has forks that were not joined, or is asked to move; a schedule or an event sink is set; or the worker has
 * something else to look at, as it has once in some 64 switches. Then pop a unit, and weft_ext_yield_to_owned. */
WEFT_NODISCARD WEFT_API weft_status weft_ext_yield_in_pool(bool (*accepts)(void *state, weft_thread *unit), void *state);
/* True when the caller, a scheduler ULT, should return: its worker is being removed or the runtime finalized. Also lets timers,
 * sources and the inbox of this worker have their turn. */
WEFT_API bool weft_ext_should_stop(void);
/* For a scheduler ULT with nothing to dispatch, and OS threads outside: lets the worker's other units run, or the worker idle, until something
 * was pushed to one of pools, a pool was notified, the runtime is about to end, or the deadline passed (WEFT_TIMEOUT). pools must not change meanwhile.
 * A worker looks for WEFT_SPIN first, as an idle one does, if it has nothing else to run. is_wanted (or null) is called now and then meanwhile,
 * and for the last time when a notification would already be heard: if it returns true the call returns at once, so that what it looks at, and a
 * weft_ext_pool_notify after its change, are not missed. It must not block, switch or push. May switch. */
WEFT_NODISCARD WEFT_API weft_status weft_ext_wait_for_work(weft_pool *const *pools, size_t count, uint64_t deadline_ns,
                                                           bool (*is_wanted)(void *argument), void *argument);

/* ---- outside sources of work ------------------------------------------------------------------------------------- */

/* poll is called by busy workers now and then and by idle ones before they sleep; it makes units ready (by unpark, create, set)
 * and returns how many. One worker polls a source at a time. It has no identity and must not block or switch. Errors: WEFT_INVALID, WEFT_NOT_INITIALIZED, WEFT_NOMEM,
 * WEFT_AGAIN (64 sources are there). Those that are never removed go with the runtime. */
typedef struct weft_source weft_source;
WEFT_NODISCARD WEFT_API weft_status weft_ext_source_add(size_t (*poll)(void *state), void *state, weft_source **out);
/* Waits until a running poll returned. A source that was removed is freed. WEFT_INVALID: null, or no source of this runtime;
 * WEFT_DEADLOCK: from within this source's own poll. */
WEFT_NODISCARD WEFT_API weft_status weft_ext_source_remove(weft_source *source);
/* Something happened: some worker, woken if need be, will poll soon. Any caller, signal handlers included. */
WEFT_API void weft_ext_source_notify(weft_source *source);

/* ---- stacks ------------------------------------------------------------------------------------------------------ */

/* Replaces the memory beneath all stacks that Weft makes. map returns bytes of readable and writable memory, aligned to a page, or
 * null; it is asked for many stacks at once, and for single ones of a size of their own. Weft puts its guards there. unmap may be
 * null. Set before weft_init (WEFT_BUSY: the runtime is running); null restores Weft's own. WEFT_INVALID: wrong size, no map. */
typedef struct weft_stack_provider {
  size_t size; /* sizeof(weft_stack_provider) */
  void *(*map)(void *state, size_t bytes);
  void (*unmap)(void *state, void *base, size_t bytes);
  void *state;
} weft_stack_provider;
WEFT_NODISCARD WEFT_API weft_status weft_ext_set_stack_provider(const weft_stack_provider *provider);
/* Lowest address and size of the stack that thread has now; null and 0 while it has none. Undefined: a thread that may run or move
 * meanwhile, unless it is the caller. */
WEFT_API void weft_ext_thread_stack(const weft_thread *thread, void **base, size_t *bytes);

/* ---- events ------------------------------------------------------------------------------------------------------ */

typedef enum weft_event_kind {
  WEFT_ON_CREATE,
  WEFT_ON_RUN,
  WEFT_ON_YIELD,
  WEFT_ON_PARK,
  WEFT_ON_READY,
  WEFT_ON_END,
  WEFT_ON_JOIN,
  WEFT_ON_STEAL
} weft_event_kind;
/* sink is called on the worker (or outside) where it happens, without identity; it must not block or switch. Weft may hold a lock around
 * it, as that of the object at which a thread parks: the sink may read clocks and what is known of threads (ids, names, extension bytes)
 * and use locks of its own, and must not make, wake, join or move threads (checked builds name it) or use objects that Weft's callers wait
 * at. A fork is a thread from when another worker takes it or its forker leaves its worker, and has no events before. Null: none.
 * Set before weft_init it hears of everything. Set, replaced or taken away while the runtime runs, that holds from each worker's next event on, and
 * only threads that go through a pool or a scheduler ULT are sure to be heard: others may take short ways. A call that has begun may still be
 * inside the old sink after the return. WEFT_NOMEM: only while the runtime runs. A thread's events come in this order: CREATE, READY (maybe
 * STEAL), RUN, then YIELD, or PARK and READY, and RUN again, as often as it leaves its worker; END; and JOIN, when it was joined. The adopted
 * caller of weft_init is not created and does not end. */
WEFT_NODISCARD WEFT_API weft_status weft_ext_set_event_sink(void (*sink)(void *state, weft_event_kind kind, weft_thread *thread),
                                                            void *state);

/* ---- extension bytes and carried state --------------------------------------------------------------------------- */

/* Reserves bytes (up to 256 altogether, aligned to 16) in every unit, zero in a new one. Set before weft_init; *offset is for
 * weft_ext_bytes. WEFT_BUSY: the runtime is running; WEFT_INVALID: 0 bytes, or more than are left. */
WEFT_NODISCARD WEFT_API weft_status weft_ext_reserve(size_t bytes, size_t *offset);
WEFT_API void *weft_ext_bytes(weft_thread *thread, size_t offset);

/* Threads that a builder starts with a function of its own, bottom, are shown in dumps, reports and traces as running the function whose
 * address lies at offset (as of weft_ext_bytes) of their extension bytes: a weft_function, or null as long as it is not known. For one
 * bottom; null: none any more. Set before weft_init. */
WEFT_API void weft_ext_show_function(weft_function bottom, size_t offset);

/* Calls visit for up to 32 frames of a thread that waits or is ready to go on, innermost first, with where the frame goes on and a line
 * that names it, valid during the call; then, if there are more, with code null and why they are not shown. For a thread that has not
 * started, or has ended, there is none. Of a thread that others let go on meanwhile the frames may be those of an earlier wait. Starts an OS
 * thread for a moment, and the caller's waits for it: for dumps, not in walks and callbacks that must be short; under WEFT_SCHEDULE the
 * program's time is real time from then on. Never switches. Errors, before any visit: WEFT_BUSY (the thread runs, or another one on its
 * stack or as its unit: a scheduler ULT in weft_ext_dispatch is busy until that returns; or it went on meanwhile), WEFT_INVALID (null), WEFT_NOMEM,
 * WEFT_NOT_INITIALIZED, WEFT_UNSUPPORTED (no OS thread, or process_vm_readv of the own process is forbidden). Undefined: a thread that may
 * be freed meanwhile; for OS threads outside, while weft_finalize runs. */
typedef void (*weft_frame_visitor)(void *state, const void *code, const char *name);
WEFT_NODISCARD WEFT_API weft_status weft_ext_frames(const weft_thread *thread, weft_frame_visitor visit, void *state);

/* State of the OS thread that must follow the ULT across switches, such as a language's exception globals: address() gives the
 * calling OS thread's copy: 8, 16, 24 or 32 bytes aligned to 8 (WEFT_INVALID otherwise), which are all zero while there is nothing to
 * carry, as for a new ULT and at the end of each. One layer may register, once for the process's life (WEFT_BUSY: another has); from the next weft_init on. */
WEFT_NODISCARD WEFT_API weft_status weft_ext_carry(void *(*address)(void), size_t bytes);

#ifdef __cplusplus
}
#endif
#endif
