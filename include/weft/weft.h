/* Weft: lightweight threads for C and C++. The interface for users; forks are in hot.h, loops in loops.h, and builders of runtimes also
 * want ext.h.
 *
 * Conventions of this header
 *   Status      Calls that can fail return weft_status; results come through the last pointer, which is left untouched on
 *               failure. Calls that cannot fail return their result.
 *   Time        Nanoseconds. Deadlines are absolute, on the monotonic clock of weft_now_ns(); WEFT_FOREVER never passes.
 *   Callers     "Any" means a ULT, a tasklet, or an OS thread that Weft did not make ("outside"). Every call says where it
 *               may be called from when that is not "any", and whether it may switch (let other ULTs run on this worker).
 *   Undefined   What is undefined in a release build is named and aborts in a checked build (-DWEFT_CHECKED=ON), as far as the
 *               library can know: not when the memory of a thread or an object serves another already.
 *   After a switch a ULT may continue on another OS thread: errno, thread_local objects and locks of the OS-thread kind must
 *   not be carried across calls that may switch. The FP control words (rounding, exception masks) belong to the worker unless
 *   the ULT was created with keep_fp.
 */
#ifndef WEFT_WEFT_H
#define WEFT_WEFT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <weft/version.h>

#if defined(__cplusplus)
#define WEFT_NODISCARD [[nodiscard]]
extern "C" {
#else
#define WEFT_NODISCARD __attribute__((warn_unused_result))
#endif
#define WEFT_API __attribute__((visibility("default")))

/* ---- status ------------------------------------------------------------------------------------------------------ */

typedef enum weft_status {
  WEFT_OK = 0,
  WEFT_NOMEM = 1,           /* memory, or address space for a stack, is exhausted */
  WEFT_INVALID = 2,         /* an argument is null, foreign, finished or out of range */
  WEFT_BUSY = 3,            /* try again later: the object is held, or the thread has not ended */
  WEFT_TIMEOUT = 4,         /* the deadline passed */
  WEFT_AGAIN = 5,           /* the system refused a resource for now (an OS thread, a descriptor) */
  WEFT_UNSUPPORTED = 6,     /* this kernel, CPU, build or process (a child of fork: weft_init) cannot do it */
  WEFT_NOT_INITIALIZED = 7, /* weft_init has not been called, or weft_finalize has */
  WEFT_CANNOT_BLOCK = 8,    /* the caller is a tasklet or a callback, which must not wait */
  WEFT_NOT_OWNER = 9,       /* the caller does not hold the lock, or may not act on this object */
  WEFT_DEADLOCK = 10,       /* the call would wait for its own caller */
  WEFT_ENDED = 11           /* the object was closed or destroyed while the call waited */
} weft_status;

WEFT_API const char *weft_status_name(weft_status status); /* "WEFT_NOMEM"; never null */
WEFT_API const char *weft_status_text(weft_status status); /* one sentence; never null */

/* ---- time -------------------------------------------------------------------------------------------------------- */

#define WEFT_FOREVER UINT64_MAX
WEFT_API uint64_t weft_now_ns(void);
/* now + interval, saturating at WEFT_FOREVER. */
WEFT_API uint64_t weft_deadline_in(uint64_t interval_ns);

/* ---- runtime ----------------------------------------------------------------------------------------------------- */

typedef struct weft_thread weft_thread; /* a ULT or a tasklet */
typedef struct weft_pool weft_pool;     /* a queue of ready units */

typedef enum weft_wait_policy {                        /* what an idle worker does */
                                WEFT_WAIT_HYBRID = 0,  /* spins for a few microseconds, then sleeps */
                                WEFT_WAIT_PASSIVE = 1, /* sleeps at once */
                                WEFT_WAIT_ACTIVE = 2   /* spins for ever */
} weft_wait_policy;

typedef enum weft_locality {
  WEFT_LOCALITY_STEAL = 0,  /* a queue a worker; idle workers steal, near ones first */
  WEFT_LOCALITY_STRICT = 1, /* a queue a worker; no stealing */
  WEFT_LOCALITY_DOMAIN = 2  /* the workers under one cache share a queue; stealing only between such domains */
} weft_locality;

typedef struct weft_config {
  size_t size;                  /* sizeof(weft_config); set by WEFT_CONFIG_INIT */
  unsigned workers;             /* 0: WEFT_WORKERS, or the CPUs that affinity mask and cgroup quota allow */
  size_t stack_bytes;           /* 0: WEFT_STACK_SIZE (64 KiB); stack of a ULT that asks for no size of its own */
  bool caller_outside;          /* false: the caller becomes a ULT, pinned to worker 0 at first; true: it stays an OS thread */
  bool bind;                    /* bind each worker to one CPU of the inherited mask, which the caller has again in the end */
  weft_wait_policy wait_policy; /* an explicit WEFT_WAIT_POLICY in the environment wins */
  weft_locality locality;
  const char *topology; /* null: the machine's; else a synthetic one such as "numa:2 core:4 pu:2" */
} weft_config;

#define WEFT_CONFIG_INIT {sizeof(weft_config), 0, 0, false, false, WEFT_WAIT_HYBRID, WEFT_LOCALITY_STEAL, NULL}

/* Starts the runtime. config may be null: all defaults. Calls nest: a second weft_init, from any caller, counts up and leaves
 * the settings of the first. Errors: WEFT_INVALID (a bad setting; one line on stderr names it), WEFT_NOMEM, WEFT_AGAIN (no OS
 * thread could be had), WEFT_UNSUPPORTED (no membarrier(2): a line on stderr names the cure). Callable from an OS thread outside; a ULT may call it to nest. Does not switch. While the last weft_finalize
 * runs, an OS thread outside waits here until the old runtime is gone; a ULT still nests.
 *
 * fork() before weft_init and after weft_finalize makes processes like any other. A child that is made between has none of the workers:
 * there weft_init and every other call that would need them, or a lock that they may have held, returns WEFT_UNSUPPORTED (in C++ it
 * throws), those without a status do nothing, and a ULT that returns from its function, or joins a fork of before, ends the child with
 * a line that names the cure: exec or _exit in it, posix_spawn, or an earlier fork. Forks and loops run in their caller, and
 * weft_yield, weft_sleep_*, weft_key_get and weft_key_set (a ULT's values of before are gone), the clock and what asks only
 * (weft_is_initialized: false) work. Undefined: fork() in a callback of ext.h, unless the child only calls exec or _exit, which is also
 * all that a child of vfork or _Fork may do. */
WEFT_NODISCARD WEFT_API weft_status weft_init(const weft_config *config);

/* Undoes one weft_init. The last one waits until every thread and tasklet has ended (joined or not; unjoined descriptors are
 * freed with it), ends the workers and returns every resource. After it weft_init starts a fresh runtime. May switch.
 * Errors: WEFT_NOT_INITIALIZED; WEFT_NOT_OWNER when the last one is called by another than the first weft_init's caller. */
WEFT_NODISCARD WEFT_API weft_status weft_finalize(void);

WEFT_API bool weft_is_initialized(void);

WEFT_API unsigned weft_worker_count(void); /* workers now; 0 before weft_init */
WEFT_API int weft_worker_self(void);       /* index of the calling worker; -1 outside */
/* Starts one more worker; *out is its index, possibly that of one that was removed. Never switches. Errors: WEFT_INVALID (null),
 * WEFT_AGAIN (no OS thread could be had, or 1024 workers), WEFT_NOMEM, WEFT_NOT_INITIALIZED (also while weft_finalize ends them). */
WEFT_NODISCARD WEFT_API weft_status weft_worker_add(unsigned *out);
/* Ends a worker: it runs its unit until that ends, waits or yields, hands its queue to others and stops; others may steal from it
 * meanwhile. A scheduler that was set for it is not called any more after the return. Waits for all that; may switch.
 * Errors: WEFT_INVALID (no such worker, or it is being removed already), WEFT_BUSY (worker 0; units are pinned to it; it serves a
 * pool, which weft_pool_detach ends), WEFT_CANNOT_BLOCK, WEFT_NOT_INITIALIZED (also while weft_finalize ends all workers).
 * weft_finalize waits for calls of both that OS threads outside have begun; they do what they would have done without it. */
WEFT_NODISCARD WEFT_API weft_status weft_worker_remove(unsigned worker);

/* ---- threads ----------------------------------------------------------------------------------------------------- */

#define WEFT_ANY_WORKER (-1)

typedef struct weft_thread_attr {
  size_t size;        /* sizeof(weft_thread_attr); set by WEFT_THREAD_ATTR_INIT */
  size_t stack_bytes; /* 0: the runtime's default; otherwise at least WEFT_STACK_MIN, rounded up to pages */
  void *stack;        /* null: Weft's guarded stack; else the caller's memory of stack_bytes, kept until the thread was joined */
  const char *name;   /* copied, up to 31 bytes; null: none */
  bool detached;      /* nobody joins it; its descriptor goes when it ends */
  bool keep_fp;       /* save and restore the FP control words at every switch */
  int worker;         /* WEFT_ANY_WORKER, or the index of the worker that it is pinned to */
  weft_pool *pool;    /* null: the default queue of whoever makes it ready */
  unsigned priority;  /* for priority pools: 0 is the most urgent */
} weft_thread_attr;

#define WEFT_STACK_MIN 16384u
#define WEFT_THREAD_ATTR_INIT {sizeof(weft_thread_attr), 0, NULL, NULL, false, false, WEFT_ANY_WORKER, NULL, 0}

typedef void (*weft_function)(void *argument);

/* Makes a ULT that will run function(argument). attr may be null. out may be null: the thread is then detached. The stack is
 * bound when the thread first runs; a default thread that is joined before it started may run on its joiner's stack, of which at
 * least three quarters are then free. Never switches. Errors: WEFT_INVALID, WEFT_NOMEM, WEFT_NOT_INITIALIZED. */
WEFT_NODISCARD WEFT_API weft_status weft_thread_create(weft_function function, void *argument, const weft_thread_attr *attr,
                                                       weft_thread **out);

/* Makes count ULTs; thread i runs function((char *)arguments + i * stride). All or none are made. out: count handles, or null:
 * detached. Errors as weft_thread_create. */
WEFT_NODISCARD WEFT_API weft_status weft_thread_create_many(weft_function function, void *arguments, size_t stride, size_t count,
                                                            const weft_thread_attr *attr, weft_thread **out);

/* Makes a tasklet: it runs to completion on a worker's stack and must not block: a call of it that would have to wait returns
 * WEFT_CANNOT_BLOCK. Of attr it heeds name, detached, worker, pool and priority. Joined like a ULT. */
WEFT_NODISCARD WEFT_API weft_status weft_tasklet_create(weft_function function, void *argument, const weft_thread_attr *attr,
                                                        weft_thread **out);

/* Waits until thread ends and frees its descriptor. May switch. Exactly one join (or detach) a thread. Errors: WEFT_INVALID
 * (null, detached), WEFT_DEADLOCK (itself), WEFT_CANNOT_BLOCK, WEFT_BUSY (it has not ended, and another caller is joining it). Undefined:
 * joining a handle that was already joined, or that another caller joins after the end (nor is it good for any other call). */
WEFT_NODISCARD WEFT_API weft_status weft_thread_join(weft_thread *thread);
WEFT_NODISCARD WEFT_API weft_status weft_thread_join_until(weft_thread *thread, uint64_t deadline_ns); /* + WEFT_TIMEOUT */
WEFT_NODISCARD WEFT_API weft_status weft_thread_try_join(weft_thread *thread); /* WEFT_BUSY: has not ended; never switches */
/* Joins all count of them, in any order; null entries are skipped. Returns the first error, after the rest were joined. */
WEFT_NODISCARD WEFT_API weft_status weft_thread_join_many(weft_thread **threads, size_t count);
WEFT_NODISCARD WEFT_API weft_status weft_thread_detach(weft_thread *thread);

typedef enum weft_thread_state {
  WEFT_THREAD_READY = 0,     /* made, or runnable again, and in a queue */
  WEFT_THREAD_RUNNING = 1,   /* on a worker */
  WEFT_THREAD_BLOCKED = 2,   /* parked: it waits for something */
  WEFT_THREAD_SUSPENDED = 3, /* by weft_suspend */
  WEFT_THREAD_ENDED = 4      /* joinable */
} weft_thread_state;

WEFT_API weft_thread *weft_self(void);                                       /* null outside */
WEFT_API uint64_t weft_thread_id(const weft_thread *thread);                 /* unique in one runtime's life; 0 for null */
WEFT_API weft_thread_state weft_thread_get_state(const weft_thread *thread); /* a snapshot */
WEFT_API bool weft_thread_is_tasklet(const weft_thread *thread);
WEFT_NODISCARD WEFT_API weft_status weft_thread_set_name(weft_thread *thread, const char *name); /* copied, up to 31 bytes */
WEFT_API const char *weft_thread_get_name(const weft_thread *thread);                            /* "" when unnamed */

/* Lets other ready units of this worker run. It returns when every unit that was ready here before has had its turn, or
 * sooner. On an OS thread outside it yields the CPU. In a tasklet it does nothing. */
WEFT_API void weft_yield(void);
/* Runs thread next on this worker if it is ready in this worker's queue; otherwise yields and returns WEFT_AGAIN. Nobody else comes in
 * between: threads that only yield to each other by name keep this worker's other units waiting (until they are stolen). Errors:
 * WEFT_INVALID (null, ended), WEFT_CANNOT_BLOCK (tasklet, outside). */
WEFT_NODISCARD WEFT_API weft_status weft_yield_to(weft_thread *thread);

/* Parks the caller until weft_resume(it). A resume that comes first is remembered, once. From a ULT only (WEFT_CANNOT_BLOCK). */
WEFT_NODISCARD WEFT_API weft_status weft_suspend(void);
WEFT_NODISCARD WEFT_API weft_status weft_resume(weft_thread *thread); /* any caller; WEFT_INVALID: null, tasklet or ended */

/* From a tasklet: WEFT_CANNOT_BLOCK. An OS thread outside sleeps in the kernel. May switch. */
WEFT_NODISCARD WEFT_API weft_status weft_sleep_ns(uint64_t interval_ns);
WEFT_NODISCARD WEFT_API weft_status weft_sleep_until(uint64_t deadline_ns);

/* Pins the calling ULT to a worker, moving there now, or frees it (WEFT_ANY_WORKER). Of its pool, too, only that worker runs it, which need
 * not serve it (no pool counts it while it is on its way there); a scheduler of a builder's is told (ext.h: weft_ext_dispatch). May switch.
 * The adopted caller of weft_init, too, may go elsewhere: then its stack is that of one OS thread, and thread-local variables are those of
 * another. weft_finalize brings it back. WEFT_INVALID: no such worker. */
WEFT_NODISCARD WEFT_API weft_status weft_pin(int worker);
/* Asks that thread continue in pool (which some worker must serve), or on a worker, from its next start, yield or wake-up on. The
 * worker is where it then becomes ready, once: one that is not pinned may be stolen from there before it runs, unless the locality
 * is WEFT_LOCALITY_STRICT. To stay, it pins itself. WEFT_INVALID: null, ended, no such worker; WEFT_NOT_OWNER: the adopted main thread, a started tasklet, or a unit of a private
 * pool. Never switches. */
WEFT_NODISCARD WEFT_API weft_status weft_thread_migrate_to_worker(weft_thread *thread, unsigned worker);
WEFT_NODISCARD WEFT_API weft_status weft_thread_migrate_to_pool(weft_thread *thread, weft_pool *pool);

/* ---- thread-specific keys ---------------------------------------------------------------------------------------- */

typedef struct weft_key {
  uint32_t index;
  uint32_t generation;
} weft_key;

/* destructor (or null) is called with each non-null value when its thread ends, on that thread, in rounds (at most 4) while
 * values remain. At most 1024 keys live at once (WEFT_AGAIN). */
WEFT_NODISCARD WEFT_API weft_status weft_key_create(void (*destructor)(void *value), weft_key *out);
WEFT_NODISCARD WEFT_API weft_status weft_key_delete(weft_key key); /* runs no destructor */
/* Values of the calling ULT or tasklet; an OS thread outside has its own. */
WEFT_NODISCARD WEFT_API weft_status weft_key_set(weft_key key, void *value);
WEFT_API void *weft_key_get(weft_key key); /* null when never set */

/* ---- pools ------------------------------------------------------------------------------------------------------- */

/* Which of its ready units is next. */
typedef enum weft_pool_kind {
  WEFT_POOL_FIFO = 0,     /* the one that has been there longest */
  WEFT_POOL_LIFO = 1,     /* the latest one; those that yielded come last */
  WEFT_POOL_PRIORITY = 2, /* of the highest priority that which has been there longest */
  WEFT_POOL_DEQUE =
      3 /* the latest new one, before those that yielded, woke or moved, in their order; thieves may take from the end
                             (ext.h: weft_ext_pool_pop_last) */
} weft_pool_kind;
typedef enum weft_pool_access {
  WEFT_POOL_SHARED = 0, /* any number of workers serve it */
  WEFT_POOL_PRIVATE = 1 /* one worker serves it; its units do not migrate */
} weft_pool_access;
#define WEFT_POOL_PRIORITIES 16u

WEFT_NODISCARD WEFT_API weft_status weft_pool_create(weft_pool_kind kind, weft_pool_access access, weft_pool **out);
/* WEFT_BUSY while units are in it, blocked units belong to it, a worker serves it, or somebody waits for work in it (ext.h). */
WEFT_NODISCARD WEFT_API weft_status weft_pool_destroy(weft_pool *pool);
/* worker serves pool from now on, after the pools that it already serves. WEFT_INVALID: no such worker; WEFT_BUSY: a private pool that is
 * already served; WEFT_AGAIN: 64 workers serve the pool, or the worker serves 8 (with WEFT_LOCALITY_DOMAIN 7) pools. */
WEFT_NODISCARD WEFT_API weft_status weft_pool_attach(weft_pool *pool, unsigned worker);
WEFT_NODISCARD WEFT_API weft_status weft_pool_detach(weft_pool *pool, unsigned worker);
WEFT_API size_t weft_pool_ready_count(const weft_pool *pool); /* units ready in it */
WEFT_API size_t weft_pool_total_count(const weft_pool *pool); /* ready, and blocked ones that will come back to it */

/* ---- synchronisation --------------------------------------------------------------------------------------------- */
/* All objects work for ULTs and OS threads mixed, also before weft_init (OS threads only), live in the user's memory, may not be
 * moved while in use, and are ready when zero-filled or set to their INIT. Waiting calls may switch; in a tasklet they return
 * WEFT_CANNOT_BLOCK instead of waiting. Undefined: destroying (reusing the memory of) an object that a call is still using,
 * except that the last unlock, signal or set may race with destruction by whoever it released. */

typedef struct weft_mutex {
  uint64_t opaque[6];
} weft_mutex;
#define WEFT_MUTEX_INIT {{0, 0, 0, 0, 0, 0}}
#define WEFT_MUTEX_RECURSIVE_INIT {{8, 0, 0, 0, 0, 0}}
/* Never handed over: a waiter that lost tries again, and again. For locks that callers who hold up their worker try to get meanwhile. */
#define WEFT_MUTEX_UNFAIR_INIT {{0, 0, 0, 0, 1, 0}}
#define WEFT_MUTEX_RECURSIVE_UNFAIR_INIT {{8, 0, 0, 0, 1, 0}}
/* Waiters are served first come first served, except that a running caller may take a free lock before a waiter that is just
 * waking; a waiter that lost once is handed the lock. Errors: WEFT_INVALID (null), WEFT_CANNOT_BLOCK, WEFT_AGAIN (a recursive
 * mutex held 2^32-1 times), WEFT_DEADLOCK (a plain mutex that the caller holds already; in checked builds. In release builds the
 * caller waits for itself, which the deadlock report shows when nothing else can run). */
WEFT_NODISCARD WEFT_API weft_status weft_mutex_lock(weft_mutex *mutex);
WEFT_NODISCARD WEFT_API weft_status weft_mutex_lock_until(weft_mutex *mutex, uint64_t deadline_ns);
WEFT_NODISCARD WEFT_API weft_status weft_mutex_try_lock(weft_mutex *mutex); /* WEFT_BUSY */
/* Never switches. WEFT_NOT_OWNER: a recursive mutex that the caller does not hold, or a free one. Undefined: unlocking a plain
 * mutex that another caller holds. */
WEFT_API weft_status weft_mutex_unlock(weft_mutex *mutex);

typedef struct weft_cond {
  uint64_t opaque[4];
} weft_cond;
#define WEFT_COND_INIT {{0, 0, 0, 0}}
/* The caller holds mutex, which is released while it waits and held again on return, also after WEFT_TIMEOUT. No spurious
 * wake-ups. A signal wakes the one that has waited longest. WEFT_NOT_OWNER: nobody holds the mutex (a recursive one, and in checked
 * builds any: not the caller). */
WEFT_NODISCARD WEFT_API weft_status weft_cond_wait(weft_cond *cond, weft_mutex *mutex);
WEFT_NODISCARD WEFT_API weft_status weft_cond_wait_until(weft_cond *cond, weft_mutex *mutex, uint64_t deadline_ns);
WEFT_API weft_status weft_cond_signal(weft_cond *cond);
WEFT_API weft_status weft_cond_broadcast(weft_cond *cond);
WEFT_API bool weft_cond_has_waiters(const weft_cond *cond); /* a snapshot; who was woken does not wait any more */

typedef struct weft_rwlock {
  uint64_t opaque[6];
} weft_rwlock;
#define WEFT_RWLOCK_INIT {{0, 0, 0, 0, 0, 0}}
/* First come first served: a reader that comes after a waiting writer waits behind it. */
WEFT_NODISCARD WEFT_API weft_status weft_rwlock_read_lock(weft_rwlock *lock);
WEFT_NODISCARD WEFT_API weft_status weft_rwlock_read_lock_until(weft_rwlock *lock, uint64_t deadline_ns);
WEFT_NODISCARD WEFT_API weft_status weft_rwlock_try_read_lock(weft_rwlock *lock);
WEFT_NODISCARD WEFT_API weft_status weft_rwlock_write_lock(weft_rwlock *lock);
WEFT_NODISCARD WEFT_API weft_status weft_rwlock_write_lock_until(weft_rwlock *lock, uint64_t deadline_ns);
WEFT_NODISCARD WEFT_API weft_status weft_rwlock_try_write_lock(weft_rwlock *lock);
WEFT_API weft_status weft_rwlock_unlock(weft_rwlock *lock); /* WEFT_NOT_OWNER: nobody holds it (checked
                                                           builds: or another caller does, to write) */

typedef struct weft_semaphore {
  uint64_t opaque[4];
} weft_semaphore;
#define WEFT_SEMAPHORE_INIT(count) {{(uint64_t)(count), 0, 0, 0}}
WEFT_NODISCARD WEFT_API weft_status weft_semaphore_acquire(weft_semaphore *semaphore);
WEFT_NODISCARD WEFT_API weft_status weft_semaphore_acquire_until(weft_semaphore *semaphore, uint64_t deadline_ns);
WEFT_NODISCARD WEFT_API weft_status weft_semaphore_try_acquire(weft_semaphore *semaphore);
WEFT_API weft_status weft_semaphore_release(weft_semaphore *semaphore, uint32_t count); /* WEFT_INVALID: would overflow 2^32-1 */

typedef struct weft_barrier {
  uint64_t opaque[6];
} weft_barrier;
WEFT_NODISCARD WEFT_API weft_status weft_barrier_init(weft_barrier *barrier, uint32_t parties); /* WEFT_INVALID: 0 parties */
/* Waits until parties callers have come; reusable. *last (may be null) is true for exactly one of them. */
WEFT_NODISCARD WEFT_API weft_status weft_barrier_wait(weft_barrier *barrier, bool *last);

/* Set once, waited for by any number; weft_event_reset makes it reusable when nobody waits (undefined until the waits have returned). A latch is
 * an event that counts. */
typedef struct weft_event {
  uint64_t opaque[4];
} weft_event;
#define WEFT_EVENT_INIT {{0, 0, 0, 0}}
#define WEFT_LATCH_INIT(count) {{((uint64_t)(count) << 32) | ((count) == 0), 0, 0, 0}} /* a latch of 0 is set from the start */
WEFT_NODISCARD WEFT_API weft_status weft_event_wait(weft_event *event);
WEFT_NODISCARD WEFT_API weft_status weft_event_wait_until(weft_event *event, uint64_t deadline_ns);
WEFT_API bool weft_event_is_set(const weft_event *event);
WEFT_API weft_status weft_event_set(weft_event *event);
WEFT_API weft_status weft_event_reset(weft_event *event);
WEFT_API weft_status weft_latch_count_down(weft_event *latch, uint32_t count); /* sets it at 0; WEFT_INVALID: below 0 */

typedef struct weft_once {
  uint64_t opaque[4];
} weft_once;
#define WEFT_ONCE_INIT {{0, 0, 0, 0}}
/* Runs function(argument) in the first caller; the others wait until it returned. */
WEFT_NODISCARD WEFT_API weft_status weft_once_call(weft_once *once, weft_function function, void *argument);

/* A value set once and read by many. */
typedef struct weft_future {
  uint64_t opaque[5];
} weft_future;
#define WEFT_FUTURE_INIT {{0, 0, 0, 0, 0}}
WEFT_API weft_status weft_future_set(weft_future *future, void *value); /* WEFT_BUSY: already set */
WEFT_NODISCARD WEFT_API weft_status weft_future_get(weft_future *future, void **out);
WEFT_NODISCARD WEFT_API weft_status weft_future_get_until(weft_future *future, uint64_t deadline_ns, void **out);
WEFT_API bool weft_future_is_set(const weft_future *future);

/* Full/empty bits on any word aligned to 8 bytes (WEFT_INVALID otherwise). A word that was never touched is full. The state lives
 * beside the word, not in it, and outlives it: fill words before their memory is reused for others. When a word becomes full, all
 * that wait to read it are served and then one that waits to take it; when it becomes empty, one that waits to write it; each kind
 * first come first served. Errors: WEFT_INVALID, WEFT_CANNOT_BLOCK, WEFT_NOMEM (no memory for the state of one more word).
 * F: leaves or wants full, E: empty. readFE: wait for full, copy, empty. readFF: wait for full, copy. writeEF: wait for empty,
 * write, fill. writeF: write, fill. out and in may be null (no copy) or the word itself.
 * (B. Smith, HEP, 1981; interface after Qthreads: Wheeler, Murphy, Thain, 2008, doi:10.1109/IPDPS.2008.4536359) */
WEFT_NODISCARD WEFT_API weft_status weft_feb_read_fe(uint64_t *word, uint64_t *out);
WEFT_NODISCARD WEFT_API weft_status weft_feb_read_ff(uint64_t *word, uint64_t *out);
WEFT_NODISCARD WEFT_API weft_status weft_feb_write_ef(uint64_t *word, uint64_t value);
WEFT_NODISCARD WEFT_API weft_status weft_feb_write_f(uint64_t *word, uint64_t value);
WEFT_NODISCARD WEFT_API weft_status weft_feb_read_fe_until(uint64_t *word, uint64_t deadline_ns, uint64_t *out);
WEFT_NODISCARD WEFT_API weft_status weft_feb_read_ff_until(uint64_t *word, uint64_t deadline_ns, uint64_t *out);
WEFT_NODISCARD WEFT_API weft_status weft_feb_write_ef_until(uint64_t *word, uint64_t value, uint64_t deadline_ns);
WEFT_NODISCARD WEFT_API weft_status weft_feb_try_read_fe(uint64_t *word, uint64_t *out);   /* WEFT_BUSY */
WEFT_NODISCARD WEFT_API weft_status weft_feb_try_read_ff(uint64_t *word, uint64_t *out);   /* WEFT_BUSY */
WEFT_NODISCARD WEFT_API weft_status weft_feb_try_write_ef(uint64_t *word, uint64_t value); /* WEFT_BUSY */
WEFT_NODISCARD WEFT_API weft_status weft_feb_fill(uint64_t *word);
WEFT_NODISCARD WEFT_API weft_status
weft_feb_empty(uint64_t *word); /* never switches; a writer that waits then fills it at once */
WEFT_NODISCARD WEFT_API weft_status weft_feb_purge(uint64_t *word); /* writes 0 and empties */
WEFT_API bool weft_feb_is_full(const uint64_t *word);

/* ---- statistics --------------------------------------------------------------------------------------------------- */

/* Counts since weft_init, of one worker or of all. Only what costs nothing to count is here: parks, unparks, yields, forks that nobody took
 * and the lengths of queues are not, because that would be paid at each of them; WEFT_TRACE shows those. */
typedef struct weft_stats {
  size_t size;              /* sizeof(weft_stats); set by WEFT_STATS_INIT */
  uint64_t created;         /* threads, tasklets, forks that became threads; those made by OS threads outside: only in all */
  uint64_t ended;           /* of these, or discarded (ext.h); by the worker on which they were; outside: only in all */
  uint64_t searches;        /* looks at other workers for something to steal */
  uint64_t thefts;          /* searches that found something */
  uint64_t stolen;          /* threads and tasklets that these brought, forks included */
  uint64_t forks_taken;     /* of these, forks that their forker had not joined yet */
  uint64_t idle;            /* times that the worker ran out of work */
  uint64_t sleeps;          /* times that it then went to sleep in the kernel */
  uint64_t woken;           /* times that somebody woke it */
  uint64_t migrations;      /* weft_thread_migrate_*, carried out; only in all */
  uint64_t stacks_made;     /* in fresh memory: the most at once, but for those that workers keep ready. Only in all */
  uint64_t stacks_returned; /* whose memory went back to the system (WEFT_STACK_CACHE). Only in all */
} weft_stats;
#define WEFT_STATS_INIT {sizeof(weft_stats), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}

/* Of a worker by its index, or of all (WEFT_ANY_WORKER), also of those that were removed. Each count is exact, but they are read one by one while
 * workers go on. What is only in all is 0 for a worker. Any caller; never switches. Errors: WEFT_INVALID (null, wrong size, no such
 * worker so far), WEFT_NOT_INITIALIZED. While weft_finalize runs, undefined for OS threads outside. */
WEFT_NODISCARD WEFT_API weft_status weft_stats_read(int worker, weft_stats *out);

/* ---- reports ----------------------------------------------------------------------------------------------------- */

/* Calls each(state, key, value) for every fact about this library and machine: "version", "build.checked", "topology.cpus",
 * "limit.mappings", "setting.WEFT_WORKERS" (as effective: the default or what the environment says), "selftest.guard", and for each
 * environment variable "variable.NAME.range", ".default" and ".text". Keys hold letters, digits, '.', '_'; values are one line, valid
 * during the call. Also before weft_init. WEFT_* variables that cannot be used are reported on stderr as weft_init would. */
WEFT_API void weft_info_walk(void (*each)(void *state, const char *key, const char *value), void *state);

/* Writes every thread with its state, what it waits for, since when, where it was made and its backtrace, to file
 * descriptor fd. Any caller. Errors: WEFT_NOT_INITIALIZED, WEFT_INVALID (not all could be written). */
WEFT_NODISCARD WEFT_API weft_status weft_dump(int fd);

/* A SIGSEGV handler installed after weft_init should call this first: it returns true when it reported a stack overflow,
 * or waited while another worker reported its own, false when the fault is none of Weft's. After true SIGSEGV and SIGBUS have their default
 * actions: the caller returns, the fault repeats and ends the program. Arguments as of sigaction(2). Async-signal-safe. */
WEFT_API bool weft_fault_filter(int signal, void *info, void *context);

#ifdef __cplusplus
}
#endif
#endif
