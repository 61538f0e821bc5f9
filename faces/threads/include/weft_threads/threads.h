/* Weft: one threads interface, several implementations. A program that is written over it can be run on any of them:
 *
 *   weft        threads of libweft
 *   fifo        OS threads: a task runs to completion on one, and a new one is made whenever more tasks are queued than OS threads idle
 *   pool        the same with a limit, and a parent that waits runs its own children
 *   argobots, qthreads   where these libraries are installed
 *
 * chosen when it starts by the environment variable WEFT_THREADS or by threads_start. Every call then goes through a table of functions.
 * A program that knows what it wants links the CMake target weft::threads_weft (or weft::threads_fifo; pkg-config: weft-threads-weft)
 * instead of weft::threads: its include folder holds a threads.h with the same functions inlined, and nothing in the program changes.
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
 *   Words       A thread is what threads_create or a list makes, and the caller of threads_start unless config.caller_outside. A task is a
 *               thread that belongs to a list. "Outside" is an OS thread that is none of these.
 *   Status      Calls that can fail return threads_status; results come through the last pointer, which is left untouched on failure.
 *   Time        Nanoseconds. Deadlines are absolute, on the clock of threads_now_ns(); THREADS_FOREVER never passes.
 *   Callers     From threads and from outside, between the returns of threads_start and the call of threads_stop (THREADS_NOT_STARTED
 *               otherwise; undefined in programs with the functions inlined).
 *   Switching   "May switch" means: other threads may run on this OS thread meanwhile, and where threads_features() has
 *               THREADS_MIGRATES the caller may go on on another one. errno, thread_local objects and locks of the OS must not be carried
 *               across such calls.
 *   Memory      What a thread wrote before it ended is seen by who joined it or waited for its list; what was written before a mutex was
 *               unlocked or a sync variable written, by who locks or reads it next.
 *   Undefined   Joining a thread twice, unlocking a mutex of another, using an object whose memory serves another: as far as the
 *               implementation knows, it returns an error or names it and aborts. */
#ifndef WEFT_THREADS_THREADS_H
#define WEFT_THREADS_THREADS_H

#include <weft_threads/manage.h>
#include <weft_threads/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- threads ----------------------------------------------------------------------------------------------------- */

/* Makes a thread that runs function(argument). out may be null: nobody joins it. Never switches. Errors: THREADS_INVALID (null
 * function), THREADS_NOMEM, THREADS_AGAIN (the first OS thread could not be had). */
THREADS_NODISCARD THREADS_API threads_status threads_create(threads_function function, void *argument, threads_thread **out);
/* Waits until thread has ended and frees it: exactly once a thread. May switch. Errors: THREADS_INVALID (null), THREADS_DEADLOCK
 * (itself), THREADS_CANNOT_BLOCK (outside, in argobots and qthreads where these cannot wait there). */
THREADS_NODISCARD THREADS_API threads_status threads_join(threads_thread *thread);
/* A number of the calling thread, unlike that of any other that lives; 0 outside. Never switches. */
THREADS_API uint64_t threads_self_id(void);
/* Lets others run: with workers, those that are ready on this one; otherwise what the OS likes. May switch. */
THREADS_API void threads_yield(void);
/* May switch. */
THREADS_NODISCARD THREADS_API threads_status threads_sleep_ns(uint64_t interval_ns);

/* ---- lists of tasks ---------------------------------------------------------------------------------------------- */
/* A parent adds tasks to a list, starts them and waits for all. A list belongs to one thread (or an OS thread outside): calls on it from
 * several are undefined. Arguments must live until the wait returned. */

/* Adds a task; never switches, starts nothing. Errors: THREADS_INVALID (null), THREADS_BUSY (the list was started and not waited for),
 * THREADS_NOMEM (never for the first THREADS_TASKS_INSIDE tasks). */
THREADS_NODISCARD THREADS_API threads_status threads_list_add(threads_list *list, threads_function function, void *argument);
/* Adds count tasks; task i runs function((char *)arguments + i * stride). All or none. Errors as above. */
THREADS_NODISCARD THREADS_API threads_status threads_list_add_many(threads_list *list, threads_function function, void *arguments,
                                                                   size_t stride, size_t count);
/* Makes the tasks ready to run beside the caller. Never switches. Each is a thread with an id and keys of its own; not so in a list of
 * THREADS_LIST_ANONYMOUS_INIT, which leaves implementations free to use cheaper children: threads_self_id and keys in such a task may be
 * the parent's, and a parent that polls with threads_yield instead of waiting may keep it from starting. Tasks of both kinds may wait for
 * each other and for their parent, within what threads_features() says. The list must be waited for before the function that the calling
 * thread was started with returns. Errors: THREADS_INVALID (null), THREADS_BUSY (already started), THREADS_NOMEM, THREADS_AGAIN; none has then
 * been started. */
THREADS_NODISCARD THREADS_API threads_status threads_list_start(threads_list *list);
/* Starts them unless that was done, and waits until all have ended, running some itself where that helps. The list is empty afterwards
 * and may be used again; it keeps its memory. May switch. Errors: as threads_list_start. */
THREADS_NODISCARD THREADS_API threads_status threads_list_wait(threads_list *list);
/* Frees the memory of an empty list, which is needed only where more than THREADS_TASKS_INSIDE tasks were added; drops tasks that were not
 * started. THREADS_INVALID (null), THREADS_BUSY: started, not waited for. Never switches. */
THREADS_API threads_status threads_list_destroy(threads_list *list);

/* ---- mutex and condition ----------------------------------------------------------------------------------------- */

/* Not recursive. May switch. Errors: THREADS_INVALID (null), THREADS_DEADLOCK (held by the caller, where that is noticed). */
THREADS_NODISCARD THREADS_API threads_status threads_mutex_lock(threads_mutex *mutex);
THREADS_NODISCARD THREADS_API threads_status threads_mutex_try_lock(threads_mutex *mutex); /* THREADS_BUSY; never switches */
THREADS_API threads_status threads_mutex_unlock(threads_mutex *mutex);
/* Gives back what an implementation may have attached; nobody may hold it. It is then as zero-filled. */
THREADS_API threads_status threads_mutex_destroy(threads_mutex *mutex);

/* The caller holds mutex, which is released while it waits and held again on return, also after THREADS_TIMEOUT. Wake-ups may be
 * spurious. May switch. Errors: THREADS_INVALID (null). */
THREADS_NODISCARD THREADS_API threads_status threads_cond_wait(threads_cond *cond, threads_mutex *mutex);
THREADS_NODISCARD THREADS_API threads_status threads_cond_wait_until(threads_cond *cond, threads_mutex *mutex,
                                                                     uint64_t deadline_ns);
/* Wake one waiter, or all: those that waited before the call. */
THREADS_API threads_status threads_cond_signal(threads_cond *cond);
THREADS_API threads_status threads_cond_broadcast(threads_cond *cond);
THREADS_API threads_status threads_cond_destroy(threads_cond *cond); /* nobody may wait */

/* ---- full/empty sync variables ----------------------------------------------------------------------------------- */
/* F: wants or leaves full, E: empty, X: whatever it is. One that waits for a change is woken by it; if several do, one of them takes it
 * (all, where they leave it as it is). May switch. Errors: THREADS_INVALID (null).
 * (B. Smith, HEP, 1981; as sync variables: Chamberlain, Callahan, Zima, 2007, doi:10.1177/1094342007078442) */

THREADS_NODISCARD THREADS_API threads_status threads_sync_read_fe(threads_sync *sync, uint64_t *out); /* out may be null */
THREADS_NODISCARD THREADS_API threads_status threads_sync_read_ff(threads_sync *sync, uint64_t *out); /* out may be null */
THREADS_NODISCARD THREADS_API threads_status threads_sync_write_ef(threads_sync *sync, uint64_t value);
THREADS_API threads_status threads_sync_write_xf(threads_sync *sync, uint64_t value); /* does not wait for a state */
THREADS_API threads_status threads_sync_empty(threads_sync *sync);                    /* as above: the value is lost */
THREADS_API threads_status threads_sync_fill(threads_sync *sync);                     /* the value is what it was last */
THREADS_API bool threads_sync_is_full(const threads_sync *sync);                      /* a snapshot; never switches */
/* Gives back what an implementation may have attached; nobody may wait. It is then empty. */
THREADS_API threads_status threads_sync_destroy(threads_sync *sync);

/* ---- thread-specific keys ---------------------------------------------------------------------------------------- */

/* destructor (or null) is called with each non-null value when its thread ends, before it can be joined, on that thread; in argobots when it
 * is joined, by who joins it, so that a destructor must not rely on who it is or use keys. THREADS_AGAIN: too many keys (every
 * implementation has at least 32), THREADS_INVALID (null out), THREADS_NOMEM. Keys go with threads_stop. */
THREADS_NODISCARD THREADS_API threads_status threads_key_create(void (*destructor)(void *value), threads_key *out);
THREADS_NODISCARD THREADS_API threads_status threads_key_delete(threads_key key); /* runs no destructor */
/* Values of the calling thread, null at first; outside: THREADS_UNSUPPORTED where an implementation keeps none there. */
THREADS_NODISCARD THREADS_API threads_status threads_key_set(threads_key key, void *value); /* THREADS_INVALID: no such key */
THREADS_API void *threads_key_get(threads_key key);                                         /* null: never set, no such key */

#ifdef __cplusplus
}
#endif
#endif
