/* Weft: threads and tasklets. Included by weft.h, whose conventions hold here.
 *
 * Words
 *   Thread       A ULT or a tasklet, except that a call says which of the two it takes.
 *   Descriptor   The library's record of a thread. A weft_thread * is the handle of one.
 *   Good         A handle is good from the call that made the thread until the join, or until the
 *                end of a detached thread. Every call with a handle that is no longer good is
 *                undefined.
 *   Worker       Where a call takes a worker, that is the worker's index (weft_worker_self).
 *
 * A thread ends when its function returns. An exception that leaves the function is undefined. */
#ifndef WEFT_THREAD_H /* SPDX-License-Identifier: BSD-3-Clause */
#define WEFT_THREAD_H

#include <weft/base.h>

#if defined(__cplusplus)
extern "C" {
#endif

/* Stands for no worker in particular. */
#define WEFT_ANY_WORKER (-1)
/* Stands for the worker that starts a ULT: any one starts it, and only that one runs it. */
#define WEFT_STARTING_WORKER (-2)
/* The smallest stack that a thread can be given, in bytes. */
#define WEFT_STACK_MIN 16384u

/* What a thread is to be like. */
typedef struct weft_thread_attr {
  size_t size; /* sizeof(weft_thread_attr); WEFT_THREAD_ATTR_INIT sets it */
  /* 0: the runtime's default; else at least WEFT_STACK_MIN, rounded up to pages. */
  size_t stack_bytes;
  /* Null: Weft's guarded stack; else memory of stack_bytes, which the caller may free once it has
   * joined the thread. */
  void *stack;
  const char *name;  /* copied, up to 31 bytes; null: none */
  bool detached;     /* the thread cannot be joined; its descriptor is freed when it ends */
  bool keep_fp;      /* save and restore the FP control words at every switch */
  int worker;        /* WEFT_ANY_WORKER, WEFT_STARTING_WORKER, or the worker that it is pinned to */
  weft_pool *pool;   /* null: the default queue of the worker that makes it ready */
  unsigned priority; /* for priority pools: 0 is the most urgent */
} weft_thread_attr;

/* All defaults. */
#define WEFT_THREAD_ATTR_INIT {sizeof(weft_thread_attr), 0, NULL, NULL, false, false, WEFT_ANY_WORKER, NULL, 0}

/* ---- making ---------------------------------------------------------------------------------- */

/* Creates a ULT that runs function(argument).
 *
 * attr may be null: all defaults. out may be null: the thread is then detached. Otherwise *out
 * receives the handle before the thread can run; the caller joins or detaches the thread once,
 * unless attr->detached is true. The call copies *attr and the name. The thread gets its stack when
 * it first runs. If a ULT joins it before it started, it may run on its joiner's stack, if three
 * quarters of the default stack's size are free there: a thread without attributes, or the next one
 * of a built-in pool that the joiner's worker serves, with attr->pool, name and priority alone, or
 * with WEFT_STARTING_WORKER besides.
 *
 * With attr->worker WEFT_STARTING_WORKER, any worker may start the thread, which is pinned to that
 * worker before its first instruction and until its end: a yield, a wait and a blocking region
 * return on that worker's OS thread. It is for libraries that keep state by OS thread and wait by
 * polling. weft_pin of the thread returns WEFT_BUSY, and weft_thread_migrate_to_* WEFT_NOT_OWNER,
 * before the start, too. The removal of the worker returns WEFT_BUSY until the thread has ended.
 * Forks of the thread may run on other workers. A worker changes its OS thread only where another
 * of its threads is in a blocking region that lasts (blocking.h); with WEFT_BLOCKING_THREADS=0 it
 * never does.
 * Errors: WEFT_INVALID (function is null; attr has a wrong size, a stack that is too small, a
 * priority that is too large or a worker that does not exist), WEFT_NOMEM, WEFT_NOT_INITIALIZED.
 * Switches: never. Callers: any. */
WEFT_NODISCARD WEFT_API weft_status weft_thread_create(weft_function function, void *argument, const weft_thread_attr *attr,
                                                       weft_thread **out);

/* The most bytes that weft_thread_create_copy copies. */
#define WEFT_COPY_MAX 1024u

/* Creates a ULT that runs function(copy), where copy is a copy of size bytes at bytes.
 *
 * The thread owns the copy, which is aligned as malloc aligns memory, and the library frees it when
 * function has returned. bytes may be null if size is 0. attr and out are those of
 * weft_thread_create. No malloc is called, whatever the size.
 * Errors: those of weft_thread_create, WEFT_INVALID (bytes is null, and size is not 0; size is
 * above WEFT_COPY_MAX).
 * Switches: never. Callers: any. */
WEFT_NODISCARD WEFT_API weft_status weft_thread_create_copy(weft_function function, const void *bytes, size_t size,
                                                            const weft_thread_attr *attr, weft_thread **out);

/* Creates count ULTs, or none.
 *
 * Thread i runs function((char *)arguments + i * stride). The caller keeps the memory of the
 * arguments valid for as long as the threads use it. attr, which may be null, holds for each
 * thread, and names no stack. out has room for count handles, each of which is joined or detached
 * once; or it is null, and the threads are detached.
 * Errors: those of weft_thread_create, WEFT_INVALID (attr->stack is not null).
 * Switches: never. Callers: any. */
WEFT_NODISCARD WEFT_API weft_status weft_thread_create_many(weft_function function, void *arguments, size_t stride, size_t count,
                                                            const weft_thread_attr *attr, weft_thread **out);

/* Creates a tasklet that runs function(argument).
 *
 * A tasklet runs to completion on a worker's stack and must not block: a call in it that would have
 * to wait returns WEFT_CANNOT_BLOCK. Of attr, which may be null, it uses name, detached, worker,
 * pool and priority; WEFT_STARTING_WORKER means any worker, as no tasklet moves. out may be null:
 * the tasklet is then detached. Otherwise *out receives the handle; a tasklet is joined or detached
 * like a ULT.
 * Errors: those of weft_thread_create.
 * Switches: never. Callers: any. */
WEFT_NODISCARD WEFT_API weft_status weft_tasklet_create(weft_function function, void *argument, const weft_thread_attr *attr,
                                                        weft_thread **out);

/* ---- joining --------------------------------------------------------------------------------- */

/* Waits until a thread has ended, and frees its descriptor.
 *
 * Each thread is joined or detached exactly once; afterwards its handle is no longer good. After an
 * error, the thread can still be joined. After WEFT_OK, the caller sees what the thread did. An OS
 * thread outside waits in the kernel.
 * Errors: WEFT_INVALID (thread is null or detached), WEFT_DEADLOCK (thread is the caller),
 * WEFT_CANNOT_BLOCK (the caller is a tasklet, and the thread has not ended), WEFT_BUSY (the thread
 * has not ended, and another caller is joining it), WEFT_ENDED (weft_finalize_with dropped the
 * thread).
 * Switches: may. Callers: any.
 * Undefined: a thread that was joined already; a second join of a thread that begins after the
 * thread's end. */
WEFT_NODISCARD WEFT_API weft_status weft_thread_join(weft_thread *thread);

/* Waits until a thread has ended or a deadline passes, and frees the descriptor of an ended thread.
 * After WEFT_TIMEOUT the thread can still be joined.
 * Errors: those of weft_thread_join, WEFT_TIMEOUT (the deadline passed before the thread ended; a
 * tasklet does not wait for it).
 * Switches: may. Callers: any.
 * Undefined: what is undefined for weft_thread_join. */
WEFT_NODISCARD WEFT_API weft_status weft_thread_join_until(weft_thread *thread, uint64_t deadline_ns);

/* Joins a thread if it has ended: frees its descriptor.
 * Errors: WEFT_INVALID (thread is null or detached), WEFT_BUSY (it has not ended), WEFT_ENDED
 * (weft_finalize_with dropped it).
 * Switches: never. Callers: any.
 * Undefined: what is undefined for weft_thread_join. */
WEFT_NODISCARD WEFT_API weft_status weft_thread_try_join(weft_thread *thread);

/* Joins count threads.
 * The library joins them in any order and skips null entries. If a join fails, the library joins
 * the other threads all the same, and the call returns an error of one of those that failed. The
 * array is not changed.
 * Errors: those of weft_thread_join, WEFT_INVALID (threads is null, and count is not 0).
 * Switches: may. Callers: any.
 * Undefined: what is undefined for weft_thread_join. */
WEFT_NODISCARD WEFT_API weft_status weft_thread_join_many(weft_thread **threads, size_t count);

/* Gives up the right to join a thread: its descriptor is freed when it ends, or at once if it has
 * ended.
 * Errors: WEFT_INVALID (thread is null or detached), WEFT_BUSY (another caller is joining it).
 * Switches: never. Callers: any.
 * Undefined: a thread that was joined already. */
WEFT_NODISCARD WEFT_API weft_status weft_thread_detach(weft_thread *thread);

/* ---- asking ---------------------------------------------------------------------------------- */

/* What a thread is doing. */
typedef enum weft_thread_state {
  WEFT_THREAD_READY = 0,     /* it is in a queue: just made, or runnable again */
  WEFT_THREAD_RUNNING = 1,   /* a worker runs it */
  WEFT_THREAD_BLOCKED = 2,   /* it is parked: it waits for something */
  WEFT_THREAD_SUSPENDED = 3, /* it called weft_suspend */
  WEFT_THREAD_ENDED = 4      /* it can be joined without a wait */
} weft_thread_state;

/* Returns the calling ULT or tasklet.
 * Returns: the handle, which in a fork (hot.h) is its forker's; null outside, and in callbacks of
 * ext.h.
 * Switches: never. Callers: any, signal handlers included. */
WEFT_API weft_thread *weft_self(void);

/* Returns the number of a thread.
 * Returns: a number that no other thread has in one life of the runtime; 0 for null.
 * Switches: never. Callers: any. */
WEFT_API uint64_t weft_thread_id(const weft_thread *thread);

/* Returns what a thread is doing.
 * Returns: the state at this moment; WEFT_THREAD_ENDED for null.
 * Switches: never. Callers: any. */
WEFT_API weft_thread_state weft_thread_get_state(const weft_thread *thread);

/* Tells whether a thread is a tasklet.
 * Returns: true for a tasklet; false for a ULT and for null.
 * Switches: never. Callers: any. */
WEFT_API bool weft_thread_is_tasklet(const weft_thread *thread);

/* Names a thread; reports, dumps, traces and debuggers show the name.
 * The library copies up to 31 bytes of name.
 * Errors: WEFT_INVALID (thread or name is null, or the thread's runtime has ended), WEFT_NOMEM.
 * Switches: never. Callers: any. */
WEFT_NODISCARD WEFT_API weft_status weft_thread_set_name(weft_thread *thread, const char *name);

/* Returns the name of a thread.
 * Returns: the name, valid until the thread is named anew or its handle is no longer good; "" if it
 * has none, and for null.
 * Switches: never. Callers: any. */
WEFT_API const char *weft_thread_get_name(const weft_thread *thread);

/* ---- leaving the worker ---------------------------------------------------------------------- */

/* Lets other ready units of this worker run.
 * The call returns when every unit that was ready here before has had its turn, or sooner. On an OS
 * thread outside it yields the CPU; in a tasklet it does nothing. On x86-64 a jump stands in place
 * of the call, unless the program defines WEFT_YIELD_BY_CALL.
 * Switches: may. Callers: any. */
WEFT_API void weft_yield(void);

/* Lets other ready units of this worker run, or waits a little if there are none.
 *
 * For loops that call it until something has changed of which no call of Weft tells, such as a word
 * that another thread writes. If other units are ready here, the call is a weft_yield. Otherwise it
 * parks the caller, so that an idle worker sleeps: the longer such calls have found nothing, the
 * longer, from 2 microseconds to 1 millisecond, and at most an eighth of that time. The call does
 * not wait beyond deadline_ns, which may be WEFT_FOREVER. On an OS thread outside it sleeps for 50
 * microseconds at most. Where the condition can be a function, weft_wait_poll is better.
 * Errors: WEFT_TIMEOUT (the deadline has passed, even if other units had their turn),
 * WEFT_CANNOT_BLOCK (the caller is a tasklet).
 * Switches: may. Callers: any; a callback is refused as a tasklet is. */
WEFT_NODISCARD WEFT_API weft_status weft_yield_or_wait(uint64_t deadline_ns);

/* Runs a given thread next on this worker.
 *
 * The caller goes behind the worker's ready units. Periodically the unit that has waited longest
 * runs first, so that threads that only yield to each other do not starve the other units of this
 * worker. A caller that names itself yields as by weft_yield.
 * Errors: WEFT_AGAIN (the thread is not ready in this worker's queue, or in a pool that this worker
 * serves; or a scheduler ULT dispatched the caller; or it is the turn of another unit, on a worker
 * that serves pools or has a scheduler; the caller has yielded as by weft_yield), WEFT_INVALID
 * (thread is null or has ended), WEFT_CANNOT_BLOCK (the caller is a tasklet, or outside).
 * Switches: may. Callers: ULTs. */
WEFT_NODISCARD WEFT_API weft_status weft_yield_to(weft_thread *thread);

/* Parks the caller until another thread calls weft_resume for it.
 * If such a call came since the caller's last weft_suspend, the call returns at once; the library
 * remembers one of them.
 * Errors: WEFT_CANNOT_BLOCK (the caller is a tasklet, or outside).
 * Switches: may. Callers: ULTs. */
WEFT_NODISCARD WEFT_API weft_status weft_suspend(void);

/* Lets a ULT return from weft_suspend: from the call in which it is parked, or else from its next
 * one.
 * Errors: WEFT_INVALID (thread is null, a tasklet, or has ended).
 * Switches: never. Callers: any. */
WEFT_NODISCARD WEFT_API weft_status weft_resume(weft_thread *thread);

/* Lets the caller sleep for an interval. An OS thread outside sleeps in the kernel; a ULT yields if
 * interval_ns is 0.
 * Errors: WEFT_CANNOT_BLOCK (the caller is a tasklet).
 * Switches: may. Callers: ULTs and OS threads outside. */
WEFT_NODISCARD WEFT_API weft_status weft_sleep_ns(uint64_t interval_ns);

/* Lets the caller sleep until a deadline. An OS thread outside sleeps in the kernel; a ULT whose
 * deadline has passed yields.
 * Errors: WEFT_CANNOT_BLOCK (the caller is a tasklet).
 * Switches: may. Callers: ULTs and OS threads outside. */
WEFT_NODISCARD WEFT_API weft_status weft_sleep_until(uint64_t deadline_ns);

/* ---- places ---------------------------------------------------------------------------------- */

/* Pins the calling ULT to a worker and moves it there now; WEFT_ANY_WORKER unpins it.
 *
 * Pinning takes precedence over pool membership: only that worker runs the ULT, even if it does not
 * serve the ULT's pool. No pool counts the ULT while it is on its way to the worker. The call drops
 * a move that weft_thread_migrate_to_* has asked for.
 *
 * The ULT that weft_init or weft_worker_adopt made of its caller may be pinned elsewhere, too. Its
 * stack is then still that of its own OS thread, but its thread_local objects are those of the OS
 * thread that runs it. weft_finalize, or weft_worker_leave, brings it back.
 * Errors: WEFT_INVALID (no such worker), WEFT_BUSY (the caller is in a scope of
 * weft_pinned_begin; the caller was created with WEFT_STARTING_WORKER), WEFT_CANNOT_BLOCK (the
 * caller is a tasklet, or outside).
 * Switches: may. Callers: ULTs. */
WEFT_NODISCARD WEFT_API weft_status weft_pin(int worker);

/* Begins a scope in which the calling ULT stays on its OS thread: for calls of libraries that keep
 * locks or state by OS thread while they call back. Scopes nest; weft_pinned_end ends the innermost
 * one.
 *
 * A pin that the ULT has stays; otherwise the outermost scope pins it to the worker that runs it.
 * Other ULTs of that worker may run where the caller waits or yields, and they find the library's
 * locks taken by their OS thread. The library with checks therefore ends the program, with both
 * places, where the caller waits, yields or ends inside of a scope. A tasklet, and an OS thread
 * outside, never move: for them a scope means nothing, and succeeds.
 *
 * weft_thread_migrate_to_* of a ULT in a scope fails; a move that was asked for before happens
 * first. weft_pin fails.
 * Errors: WEFT_NOMEM.
 * Switches: may. Callers: any.
 * Undefined: weft_thread_migrate_to_* of the caller by another thread during this call. */
WEFT_NODISCARD WEFT_API weft_status weft_pinned_begin(void);

/* Ends the innermost scope of the caller that weft_pinned_begin began. The outermost one takes back
 * the pin that it made.
 * Errors: WEFT_NOT_OWNER (the caller, a ULT, has no scope).
 * Switches: never. Callers: any. */
WEFT_NODISCARD WEFT_API weft_status weft_pinned_end(void);

/* Asks that a thread continue on a worker.
 *
 * At its next start, yield or wake-up the thread leaves its pool, if it belongs to one, and becomes
 * ready on that worker, once. If the thread is pinned, its pin moves to that worker. If it is not,
 * another worker may steal it before it runs there, unless the locality is WEFT_LOCALITY_STRICT; to
 * stay, it calls weft_pin. Of several such requests before the move, the last one counts.
 * Errors: WEFT_INVALID (thread is null or has ended; no such worker), WEFT_NOT_OWNER (the ULT that
 * weft_init or weft_worker_adopt made of its caller, a tasklet that has started, a unit of a
 * private pool, a ULT in a scope of weft_pinned_begin, or one that was created with
 * WEFT_STARTING_WORKER), WEFT_NOMEM.
 * Switches: never. Callers: any. */
WEFT_NODISCARD WEFT_API weft_status weft_thread_migrate_to_worker(weft_thread *thread, unsigned worker);

/* Asks that a thread continue in a pool.
 *
 * At its next start, yield or wake-up the thread goes to pool, which some worker must serve. From
 * then on it belongs to pool, and is not pinned any more. Of several such requests before the move,
 * the last one counts.
 * Errors: WEFT_INVALID (thread or pool is null; the thread has ended), WEFT_NOT_OWNER (the ULT that
 * weft_init or weft_worker_adopt made of its caller, a tasklet that has started, a unit of a
 * private pool, a ULT in a scope of weft_pinned_begin, or one that was created with
 * WEFT_STARTING_WORKER), WEFT_NOMEM.
 * Switches: never. Callers: any.
 * Undefined: a pool that is destroyed before the thread has ended or left it. */
WEFT_NODISCARD WEFT_API weft_status weft_thread_migrate_to_pool(weft_thread *thread, weft_pool *pool);

#ifdef __cplusplus
}
#endif

#include <weft/detail/yield_in_place.h>

#endif
