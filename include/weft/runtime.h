/* Weft: the start and end of the runtime, and its workers. Included by weft.h, whose conventions
 * hold here. */
#ifndef WEFT_RUNTIME_H /* SPDX-License-Identifier: BSD-3-Clause */
#define WEFT_RUNTIME_H

#include <weft/base.h>

#if defined(__cplusplus)
extern "C" {
#endif

/* What an idle worker does. */
typedef enum weft_wait_policy {
  WEFT_WAIT_HYBRID = 0,  /* it spins for a few microseconds, then sleeps */
  WEFT_WAIT_PASSIVE = 1, /* it sleeps at once */
  WEFT_WAIT_ACTIVE = 2   /* it spins for ever */
} weft_wait_policy;

/* Which workers share a queue of ready units, and which units an idle worker may steal. */
typedef enum weft_locality {
  WEFT_LOCALITY_STEAL = 0,  /* one queue for each worker; idle workers steal, near victims first */
  WEFT_LOCALITY_STRICT = 1, /* one queue for each worker; no stealing */
  WEFT_LOCALITY_DOMAIN = 2  /* one queue for the workers under a cache; stealing between caches */
} weft_locality;

/* How weft_init starts the runtime. */
typedef struct weft_config {
  size_t size; /* sizeof(weft_config); WEFT_CONFIG_INIT sets it */
  /* 0: WEFT_WORKERS, or as many as the CPUs that affinity mask and cgroup quota allow; under
   * WEFT_SCHEDULE 4. */
  unsigned workers;
  /* The stack of a ULT that asks for no size of its own; 0: WEFT_STACK_SIZE (192 KiB). */
  size_t stack_bytes;
  /* False: the caller becomes a ULT, pinned to worker 0 at first; true: it stays an OS thread. */
  bool caller_outside;
  /* Bind each worker to one CPU of the inherited mask; weft_finalize gives the caller's OS thread
   * that mask again. WEFT_BIND takes precedence, as the variables of the fields below do. */
  bool bind;
  weft_wait_policy wait_policy; /* WEFT_WAIT_POLICY */
  weft_locality locality;       /* WEFT_LOCALITY */
  /* WEFT_TOPOLOGY. Null: the machine's; else "hwloc", or such as "core:4 pu:2". The text must stay
   * valid until the last weft_finalize: a weft_init that nests compares its own with it. */
  const char *topology;
} weft_config;

/* All defaults. */
#define WEFT_CONFIG_INIT {sizeof(weft_config), 0, 0, false, false, WEFT_WAIT_HYBRID, WEFT_LOCALITY_STEAL, NULL}

/* Starts the runtime, or nests in the one that runs.
 *
 * config may be null: all defaults. The caller becomes a ULT, unless config->caller_outside is
 * true. When the call returns, the workers have started. Each weft_init that succeeds wants one
 * weft_finalize.
 *
 * A call while the runtime runs only counts: config is checked and then ignored. The first time
 * that it differs from the settings in force, a line on stderr says in what. But if a layer such as
 * libweft-abt started the runtime (weft_ext_init), the first weft_init adds workers until there are
 * as many as it asks for. It also lets them steal, unless it asks for another locality than
 * WEFT_LOCALITY_STEAL. While the last weft_finalize runs, a call from an OS thread outside waits
 * until the old runtime is gone and starts a new one; a call from a unit, also in a blocking
 * region, nests in the old one.
 *
 * If the caller has become a ULT, and its OS thread ends before weft_finalize, by pthread_exit, a
 * cancellation or a return from its function, the library then does what the last weft_finalize
 * does. All other threads go on until they have ended. If any other thread ends the OS thread of
 * its worker, a line on stderr names that thread, and the program aborts.
 * Errors: WEFT_INVALID (a bad setting, which a line on stderr names), WEFT_NOMEM, WEFT_AGAIN (the
 * system refused an OS thread or a pthread key), WEFT_UNSUPPORTED (no membarrier(2), shadow stacks,
 * a libweft.so of another minor version, or a child of fork(2); a line on stderr names the cure).
 * Switches: never. Callers: an OS thread outside, to start or nest; units, to nest.
 * Undefined: fork(2) in a callback of ext.h, unless the child only calls exec or _exit. A child of
 * vfork(2) or _Fork(3) may do no more than that either.
 *
 * A process that is forked before weft_init or after weft_finalize is like any other. A child that
 * is forked in between has none of the workers. In such a child:
 * - weft_init and every other call that would need a worker, or a lock that a worker may have held,
 *   returns WEFT_UNSUPPORTED (in C++ it throws), and does nothing if it has no status;
 * - a ULT that returns from its function, or joins a fork made before the fork(2), ends the child
 *   with a line that names the cure: call exec or _exit, use posix_spawn, or fork earlier;
 * - forks and loops run in their caller;
 * - weft_yield, weft_sleep_ns, weft_sleep_until, weft_key_get, weft_key_set, the clock and the
 *   calls that only ask work; a ULT's values of keys are gone, and weft_is_initialized is false. */
WEFT_NODISCARD WEFT_API weft_status weft_init(const weft_config *config);

/* Undoes one weft_init; the last call ends the runtime.
 *
 * The last call waits until every thread and tasklet has ended, joined or not, and every OS thread
 * that was adopted has left. Then it ends the waits of awaiters that have a deadline (await.h),
 * such as those of coroutines that sleep, and waits for the units that this makes ready; no such
 * wait begins any more. It ends the workers and returns every resource, except the descriptors of
 * threads that were neither joined nor detached: these may be joined or detached later, also while
 * another runtime runs. If weft_init made the caller a ULT, the destructors of the caller's values
 * of keys run first, and the caller is an OS thread outside again when the call returns. A later
 * weft_init starts a fresh runtime.
 * Errors: WEFT_NOT_INITIALIZED, WEFT_NOT_OWNER (the last call does not come from the caller of the
 * first weft_init, or comes from a blocking region of that one; the runtime goes on).
 * Switches: may. Callers: any; for the last call, the caller of the first weft_init.
 * Undefined: after the last unit has ended, and before the last call returns, an OS thread outside
 * creates a thread or tasklet, or looks into the runtime by weft_worker_count, weft_pool_attach,
 * weft_pool_detach, weft_stats_read, weft_count_threads or calls of ext.h for CPUs, schedulers,
 * sources and events. weft_worker_add, weft_worker_remove, weft_worker_adopt, weft_dump and
 * weft_trace_dump may come at any time. */
WEFT_NODISCARD WEFT_API weft_status weft_finalize(void);

/* What weft_finalize_with does with threads that have not ended. */
typedef enum weft_finalize_mode {
  WEFT_DRAIN = 0, /* it waits for them, as weft_finalize does */
  WEFT_DROP = 1   /* it drops those that are ready or blocked */
} weft_finalize_mode;

/* As weft_finalize. With WEFT_DROP, the last call does not wait for threads and tasklets.
 *
 * A thread that runs is waited for until it switches, and a thread in a blocking region until its
 * call has returned. Then each thread that is ready, blocked or asleep is dropped: it never runs
 * again. The library takes back its stack and what it kept of the thread. No destructor of its
 * frames and of its values of keys runs, and no mutex that it holds is unlocked. From the beginning
 * of the call on, an object at which a dropped thread waits must not be used; later it must be
 * initialised anew. Full/empty words, weft_syncvar, the words of weft_word_wait and conditions of
 * weft_wait_poll need nothing. Each pool loses the dropped threads, but for pools of the program's
 * own kind (ext.h), whose functions still have the handles.
 *
 * The handle of a dropped thread that was not detached stays good: a join of it, also one by an OS
 * thread outside or in a blocking region (but for one on an OS thread that was the caller's, for
 * which the call waits for ever), returns WEFT_ENDED, an awaiter at its end gets WEFT_ENDED, and
 * weft_thread_detach frees the handle. A line on stderr says how many threads were dropped,
 * tasklets and forks included, unless there are none; WEFT_STATS adds names of the first ones. The
 * own stack of a thread that stood on a context's stack stays mapped.
 * Errors: those of weft_finalize, WEFT_INVALID (mode is no value of weft_finalize_mode), WEFT_BUSY
 * (WEFT_DROP, and an OS thread is adopted: each calls weft_worker_leave before; the runtime goes
 * on).
 * Switches: may. Callers: those of weft_finalize.
 * Undefined: during the call another OS thread creates a thread, or makes one ready; the wait of an
 * awaiter ends later that a dropped thread armed, and that is not on its stack. */
WEFT_NODISCARD WEFT_API weft_status weft_finalize_with(weft_finalize_mode mode);

/* Tells whether the runtime runs.
 * Returns: true from the first weft_init until the last weft_finalize has ended the workers.
 * Switches: never. Callers: any, signal handlers included. */
WEFT_API bool weft_is_initialized(void);

/* Returns how many workers there are now.
 * Returns: the number of workers; 0 while the runtime does not run.
 * Switches: never. Callers: any, signal handlers included. */
WEFT_API unsigned weft_worker_count(void);

/* Returns the index of the calling worker.
 * Returns: the index, from 0, which may be out of date after the next call that may switch; -1
 * outside.
 * Switches: never. Callers: any, signal handlers included. */
WEFT_API int weft_worker_self(void);

/* Starts one more worker, which runs until weft_worker_remove or the last weft_finalize ends it.
 * *out receives the index of the worker, which may be that of one that was removed.
 * Errors: WEFT_INVALID (out is null), WEFT_AGAIN (the system refused an OS thread, or there are
 * 1024 workers), WEFT_NOMEM, WEFT_NOT_INITIALIZED (also while weft_finalize ends the workers).
 * Switches: never. Callers: any. */
WEFT_NODISCARD WEFT_API weft_status weft_worker_add(unsigned *out);

/* Ends a worker, and waits until it is gone.
 *
 * The worker runs its unit until that ends, waits or yields. Then it hands its queue to other
 * workers and stops. Other workers may steal from it meanwhile. A scheduler that was set for the
 * worker (ext.h) is not called after the return. An OS thread outside may call weft_worker_add and
 * weft_worker_remove at any time: a weft_finalize that comes once such a call has begun waits for
 * it, and a call that comes later does nothing.
 * Errors: WEFT_INVALID (no such worker, or it is being removed already), WEFT_BUSY (worker 0; one
 * that was adopted; units or a source are pinned to the worker; it serves a pool, which
 * weft_pool_detach ends; or the caller is in a blocking region on it, and WEFT_BLOCKING_THREADS or
 * the system leaves no OS thread to run it), WEFT_CANNOT_BLOCK (the caller is a tasklet),
 * WEFT_NOT_INITIALIZED (also while weft_finalize ends the workers; or WEFT_DROP does, and the
 * worker's thread is in a blocking region).
 * Switches: may. Callers: ULTs and OS threads outside. */
WEFT_NODISCARD WEFT_API weft_status weft_worker_remove(unsigned worker);

/* How weft_worker_adopt makes a worker of the calling OS thread. */
typedef struct weft_adopt_config {
  size_t size; /* sizeof(weft_adopt_config); WEFT_ADOPT_CONFIG_INIT sets it */
  /* The name of the caller's thread, which is copied and cut to 31 bytes; null: none. */
  const char *name;
  /* Bind the OS thread to its worker's CPU until it leaves, although other workers are not. */
  bool bind;
} weft_adopt_config;

/* All defaults. */
#define WEFT_ADOPT_CONFIG_INIT {sizeof(weft_adopt_config), NULL, false}

/* Makes the calling OS thread one more worker, and the caller a ULT that is pinned to it.
 *
 * config may be null: all defaults. The call returns in that ULT, which stays on its OS thread's
 * own stack, as the caller of weft_init does. While the ULT waits or yields, the worker runs other
 * units. It may steal them, and other workers may steal from it. The ULT is detached, and no call
 * can migrate it. Objects of sync.h that the OS thread has locked belong to the ULT. The ULT has
 * values of keys of its own: those that the OS thread has set are back after weft_worker_leave.
 *
 * weft_finalize waits until the ULT has left. If the OS thread ends before, its end does what
 * weft_worker_leave does. If that would return WEFT_BUSY, a line on stderr says so, and the program
 * aborts.
 * Errors: WEFT_INVALID (config has a wrong size), WEFT_BUSY (the OS thread is a worker; or
 * it is in a blocking region of a ULT), WEFT_CANNOT_BLOCK (inside the ready of an awaiter),
 * WEFT_NOMEM, WEFT_AGAIN (the system refused a pthread key, or what `bind` asks for; or there are
 * 1024 workers), WEFT_NOT_INITIALIZED (also once the last weft_finalize has begun),
 * WEFT_UNSUPPORTED (under WEFT_SCHEDULE, where all workers share one OS thread: a line on stderr
 * says so; a child of fork(2)).
 * Switches: never. Callers: OS threads outside. */
WEFT_NODISCARD WEFT_API weft_status weft_worker_adopt(const weft_adopt_config *config);

/* Ends the ULT that weft_worker_adopt made of the caller, and its worker: the caller is an OS
 * thread outside again when the call returns.
 *
 * The worker hands its queue to other workers. A ULT that runs on another worker, because weft_pin
 * let it go, first comes back to its own OS thread. The destructors of the ULT's values of keys are
 * called last, on that OS thread, when it is outside again.
 * Errors: WEFT_NOT_OWNER (the caller is not such a ULT), WEFT_BUSY (other units are pinned to the
 * worker; it serves a pool, which weft_pool_detach ends; or the caller has forks that were not
 * joined), WEFT_NOT_INITIALIZED, WEFT_UNSUPPORTED (a child of fork(2)). After an error, the caller
 * is still that ULT.
 * Switches: may. Callers: the ULT that weft_worker_adopt made. */
WEFT_NODISCARD WEFT_API weft_status weft_worker_leave(void);

#ifdef __cplusplus
}
#endif
#endif
