/* Weft: one threads interface, several implementations. A program that is written over it can be
 * run on any of them.
 *
 *   weft        threads of libweft
 *   fifo        OS threads: a task runs to completion on one, and a new OS thread is made whenever
 *               more tasks are queued than OS threads are idle
 *   pool        OS threads with a limit, and a parent that waits runs its own children
 *   argobots    where this library is installed
 *   qthreads    where this library is installed
 *
 * The environment variable WEFT_THREADS, or threads_start, chooses one when the program starts.
 * Every call then goes through a table of functions. A program for one implementation alone links
 * the CMake target weft::threads_weft (or weft::threads_fifo; pkg-config: weft-threads-weft)
 * instead of weft::threads: its include folder holds a threads.h with the same functions inlined,
 * and nothing in the program changes.
 *
 *   static void hello(void *name) { printf("hello, %s\n", (char *)name); }
 *   int main(void) {
 *     threads_list children = THREADS_LIST_INIT;
 *     if (threads_start(NULL) != THREADS_OK) return 1;
 *     threads_list_add(&children, hello, "weft");
 *     threads_list_add(&children, hello, "warp");
 *     threads_list_wait(&children);
 *     return threads_stop();
 *   }
 *
 * Conventions
 *   Thread      What threads_create or a list makes, and the caller of threads_start unless
 *               config.caller_outside.
 *   Task        A thread that belongs to a list.
 *   Outside     On an OS thread that is no thread of this interface.
 *   Status      A call that can fail returns threads_status. It stores its result through its last
 *               pointer, which it leaves untouched on failure.
 *   Time        Times are in nanoseconds. A deadline is absolute, on the clock of threads_now_ns();
 *               THREADS_FOREVER never passes.
 *   Callers     "Any" means threads, and OS threads outside, between the return of threads_start
 *               and the call of threads_stop. Elsewhere calls return THREADS_NOT_STARTED; in
 *               programs with the functions inlined they are undefined.
 *   Switching   A call that may switch may let other threads run on this OS thread. Where
 *               threads_features() has THREADS_MIGRATES, the caller may then go on on another one:
 *               do not carry errno, addresses of thread_local objects or locks of the OS across
 *               such a call.
 *   Memory      A caller that joined a thread, or waited for its list, sees what the thread wrote.
 *               A caller that locks a mutex, or reads a sync variable, sees what was written before
 *               the mutex was unlocked, or the variable written.
 *   Libraries   lock.h, progress.h, tracked.h and guarded.h, beside this header, have what message
 *               layers and the like ask for: locks that work before the start and after the stop,
 *               waits that make progress, keys that know their values, guarded atomics.
 *   Undefined   As far as the implementation knows of an undefined use, it returns an error, or
 *               names the use and aborts. */
#ifndef WEFT_THREADS_THREADS_H /* SPDX-License-Identifier: BSD-3-Clause */
#define WEFT_THREADS_THREADS_H

#include <weft_threads/manage.h>
#include <weft_threads/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- threads --------------------------------------------------------------------------------- */

/* Makes a thread that runs function(argument).
 * out may be null: the thread then cannot be joined.
 * Errors: THREADS_INVALID (function is null), THREADS_NOMEM, THREADS_AGAIN (the system refused the
 * first OS thread), THREADS_NOT_STARTED.
 * Switches: never. Callers: any. */
THREADS_NODISCARD THREADS_API threads_status threads_create(threads_function function, void *argument, threads_thread **out);

/* Waits until a thread has ended, and frees it. Each thread is joined exactly once.
 * Errors: THREADS_INVALID (thread is null), THREADS_DEADLOCK (thread is the caller),
 * THREADS_CANNOT_BLOCK (the caller is outside, where argobots or qthreads cannot wait),
 * THREADS_NOT_STARTED.
 * Switches: may. Callers: any.
 * Undefined: a thread that was joined already. */
THREADS_NODISCARD THREADS_API threads_status threads_join(threads_thread *thread);

/* Returns the number of the calling thread.
 * Returns: a number that no other living thread has; 0 outside.
 * Switches: never. Callers: any. */
THREADS_API uint64_t threads_self_id(void);

/* Tells whether a thread is the caller. A task of an anonymous list may be its parent.
 * Returns: true if it is; false outside, and for null.
 * Switches: never. Callers: any. */
THREADS_API bool threads_self_compare(const threads_thread *thread);

/* Lets other threads run: in an implementation with workers those that are ready on this one, else
 * what the OS chooses.
 * Switches: may. Callers: any. */
THREADS_API void threads_yield(void);

/* Lets the caller sleep for an interval.
 * Errors: THREADS_NOT_STARTED.
 * Switches: may. Callers: any. */
THREADS_NODISCARD THREADS_API threads_status threads_sleep_ns(uint64_t interval_ns);

/* ---- lists of tasks -------------------------------------------------------------------------- */

/* Adds a task to a list, which does not start it.
 *
 * A parent adds tasks to a list, starts them and waits for all. The list belongs to one thread, or
 * one OS thread outside. argument must stay until the wait has returned.
 * Errors: THREADS_INVALID (list or function is null), THREADS_BUSY (the list was started, and not
 * waited for), THREADS_NOMEM (never for the first THREADS_TASKS_INSIDE tasks).
 * Switches: never. Callers: the list's thread.
 * Undefined: calls with a list from several threads. */
THREADS_NODISCARD THREADS_API threads_status threads_list_add(threads_list *list, threads_function function, void *argument);

/* Adds count tasks to a list, or none.
 * Task i runs function((char *)arguments + i * stride). arguments must stay until the wait has
 * returned.
 * Errors: those of threads_list_add.
 * Switches: never. Callers: the list's thread.
 * Undefined: what is undefined for threads_list_add. */
THREADS_NODISCARD THREADS_API threads_status threads_list_add_many(threads_list *list, threads_function function, void *arguments,
                                                                   size_t stride, size_t count);

/* Makes the tasks of a list ready to run beside the caller.
 *
 * Each task is a thread with an id and keys of its own. In a list of THREADS_LIST_ANONYMOUS_INIT an
 * implementation may use cheaper children: threads_self_id and keys in such a task may be the
 * parent's, and a parent that polls with threads_yield instead of waiting may keep it from
 * starting. Tasks of both kinds may wait for each other and for their parent, within what
 * threads_features() says. The caller waits for the list before the function that its thread was
 * started with returns.
 * Errors: THREADS_INVALID (list is null), THREADS_BUSY (already started), THREADS_NOMEM,
 * THREADS_AGAIN (the system refused an OS thread), THREADS_NOT_STARTED. On failure no task was
 * started.
 * Switches: never. Callers: the list's thread.
 * Undefined: what is undefined for threads_list_add. */
THREADS_NODISCARD THREADS_API threads_status threads_list_start(threads_list *list);

/* Waits until all tasks of a list have ended; starts them first if that was not done.
 *
 * The caller runs some of them itself where that helps. Afterwards the list is empty, keeps its
 * memory, and may be used again.
 * Errors: THREADS_INVALID (list is null), THREADS_NOMEM, THREADS_AGAIN (the system refused an OS
 * thread), THREADS_NOT_STARTED.
 * Switches: may. Callers: the list's thread.
 * Undefined: what is undefined for threads_list_add. */
THREADS_NODISCARD THREADS_API threads_status threads_list_wait(threads_list *list);

/* Frees the memory of a list, and drops tasks that were not started.
 * The call is needed only where more than THREADS_TASKS_INSIDE tasks were added.
 * Errors: THREADS_INVALID (list is null), THREADS_BUSY (it was started, and not waited for).
 * Switches: never. Callers: the list's thread.
 * Undefined: what is undefined for threads_list_add. */
THREADS_API threads_status threads_list_destroy(threads_list *list);

/* ---- mutex and condition --------------------------------------------------------------------- */

/* Waits until a mutex is free, and locks it. It is not recursive.
 * Errors: THREADS_INVALID (mutex is null), THREADS_DEADLOCK (the caller holds it, where the
 * implementation notices), THREADS_NOT_STARTED.
 * Switches: may. Callers: any. */
THREADS_NODISCARD THREADS_API threads_status threads_mutex_lock(threads_mutex *mutex);

/* Locks a mutex if it is free.
 * Errors: THREADS_INVALID (mutex is null), THREADS_BUSY (it is held), THREADS_NOT_STARTED.
 * Switches: never. Callers: any. */
THREADS_NODISCARD THREADS_API threads_status threads_mutex_try_lock(threads_mutex *mutex);

/* Unlocks a mutex that the caller holds.
 * Errors: THREADS_INVALID (mutex is null), THREADS_NOT_OWNER (the caller does not hold it, where
 * the implementation notices), THREADS_NOT_STARTED.
 * Switches: never. Callers: any.
 * Undefined: a mutex that another caller holds. */
THREADS_API threads_status threads_mutex_unlock(threads_mutex *mutex);

/* Frees what an implementation may have attached to a mutex. The mutex is then like one that was
 * filled with zeros.
 * Errors: THREADS_INVALID (mutex is null), THREADS_BUSY (a caller holds it, where the
 * implementation notices), THREADS_NOT_STARTED.
 * Switches: never. Callers: any.
 * Undefined: a mutex that a caller holds. */
THREADS_API threads_status threads_mutex_destroy(threads_mutex *mutex);

/* Releases a mutex, waits for a signal, and locks the mutex again.
 * The caller holds mutex. A wake-up may be spurious.
 * Errors: THREADS_INVALID (cond or mutex is null), THREADS_NOT_OWNER (the caller does not hold
 * mutex, where the implementation notices), THREADS_NOT_STARTED.
 * Switches: may. Callers: any. */
THREADS_NODISCARD THREADS_API threads_status threads_cond_wait(threads_cond *cond, threads_mutex *mutex);

/* Releases a mutex, waits for a signal or until a deadline passes, and locks the mutex again.
 * The caller holds mutex, also after THREADS_TIMEOUT. A wake-up may be spurious.
 * Errors: those of threads_cond_wait, THREADS_TIMEOUT.
 * Switches: may. Callers: any. */
THREADS_NODISCARD THREADS_API threads_status threads_cond_wait_until(threads_cond *cond, threads_mutex *mutex,
                                                                     uint64_t deadline_ns);

/* Wakes one of the callers that waited at a condition before the call.
 * Errors: THREADS_INVALID (cond is null), THREADS_NOT_STARTED.
 * Switches: never. Callers: any. */
THREADS_API threads_status threads_cond_signal(threads_cond *cond);

/* Wakes all callers that waited at a condition before the call.
 * Errors: THREADS_INVALID (cond is null), THREADS_NOT_STARTED.
 * Switches: never. Callers: any. */
THREADS_API threads_status threads_cond_broadcast(threads_cond *cond);

/* Frees what an implementation may have attached to a condition. The condition is then like one
 * that was filled with zeros.
 * Errors: THREADS_INVALID (cond is null), THREADS_BUSY (a caller waits at it, where the
 * implementation notices), THREADS_NOT_STARTED.
 * Switches: never. Callers: any.
 * Undefined: a condition at which a caller waits. */
THREADS_API threads_status threads_cond_destroy(threads_cond *cond);

/* ---- full/empty sync variables --------------------------------------------------------------- */

/* Waits until a sync variable is full, copies its value, and empties it.
 * out may be null: no copy. If several callers wait for a change, one of them takes it.
 * Errors: THREADS_INVALID (sync is null), THREADS_NOT_STARTED.
 * Switches: may. Callers: any. */
THREADS_NODISCARD THREADS_API threads_status threads_sync_read_fe(threads_sync *sync, uint64_t *out);

/* Waits until a sync variable is full, and copies its value.
 * out may be null: no copy.
 * Errors: THREADS_INVALID (sync is null), THREADS_NOT_STARTED.
 * Switches: may. Callers: any. */
THREADS_NODISCARD THREADS_API threads_status threads_sync_read_ff(threads_sync *sync, uint64_t *out);

/* Waits until a sync variable is empty, writes value, and fills it.
 * Errors: THREADS_INVALID (sync is null), THREADS_NOT_STARTED.
 * Switches: may. Callers: any. */
THREADS_NODISCARD THREADS_API threads_status threads_sync_write_ef(threads_sync *sync, uint64_t value);

/* Writes value to a sync variable and fills it, whatever its state.
 * Errors: THREADS_INVALID (sync is null), THREADS_NOT_STARTED.
 * Switches: may. Callers: any. */
THREADS_API threads_status threads_sync_write_xf(threads_sync *sync, uint64_t value);

/* Empties a sync variable, whatever its state. The value is lost.
 * Errors: THREADS_INVALID (sync is null), THREADS_NOT_STARTED.
 * Switches: may. Callers: any. */
THREADS_API threads_status threads_sync_empty(threads_sync *sync);

/* Fills a sync variable, whatever its state. The value is what it was last.
 * Errors: THREADS_INVALID (sync is null), THREADS_NOT_STARTED.
 * Switches: may. Callers: any. */
THREADS_API threads_status threads_sync_fill(threads_sync *sync);

/* Tells whether a sync variable is full.
 * Returns: true if it is full at this moment.
 * Switches: never. Callers: any. */
THREADS_API bool threads_sync_is_full(const threads_sync *sync);

/* Frees what an implementation may have attached to a sync variable, which is then empty.
 * Errors: THREADS_INVALID (sync is null), THREADS_NOT_STARTED.
 * Switches: never. Callers: any.
 * Undefined: a sync variable at which a caller waits. */
THREADS_API threads_status threads_sync_destroy(threads_sync *sync);

/* ---- thread-specific keys -------------------------------------------------------------------- */

/* Creates a key, which lives until threads_stop at the latest; on weft, until the runtime ends.
 *
 * destructor may be null. When a thread ends, the implementation calls destructor with each value
 * of the key that is not null, before the thread can be joined, on that thread. In argobots the
 * joiner calls it when it joins the thread. So a destructor must not rely on the calling thread, or
 * use keys.
 * Errors: THREADS_INVALID (out is null), THREADS_AGAIN (there are too many keys; every
 * implementation has at least 32), THREADS_NOMEM, THREADS_NOT_STARTED.
 * Switches: never. Callers: any. */
THREADS_NODISCARD THREADS_API threads_status threads_key_create(void (*destructor)(void *value), threads_key *out);

/* Deletes a key. No destructor runs.
 * Errors: THREADS_INVALID (there is no such key), THREADS_NOT_STARTED.
 * Switches: never. Callers: any. */
THREADS_NODISCARD THREADS_API threads_status threads_key_delete(threads_key key);

/* Sets the calling thread's value of a key.
 * Errors: THREADS_INVALID (there is no such key), THREADS_NOMEM, THREADS_UNSUPPORTED (the caller is
 * outside, where the implementation keeps no values), THREADS_NOT_STARTED.
 * Switches: never. Callers: any. */
THREADS_NODISCARD THREADS_API threads_status threads_key_set(threads_key key, void *value);

/* Returns the calling thread's value of a key.
 * Returns: the value; null if the thread never set it, or there is no such key.
 * Switches: never. Callers: any. */
THREADS_API void *threads_key_get(threads_key key);

#ifdef __cplusplus
}
#endif
#endif
