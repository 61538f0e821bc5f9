/* Weft: start, stop and queries of the generic threads interface: the part that is never inlined.
 * Included by threads.h, whose conventions hold here. */
#ifndef WEFT_THREADS_MANAGE_H /* SPDX-License-Identifier: BSD-3-Clause */
#define WEFT_THREADS_MANAGE_H

#include <weft_threads/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Returns the name of a status.
 * Returns: a static string such as "THREADS_NOMEM", never null.
 * Switches: never. Callers: any, also before threads_start. */
THREADS_API const char *threads_status_name(threads_status status);

/* Returns what a status means.
 * Returns: a static string of one sentence, never null.
 * Switches: never. Callers: any, also before threads_start. */
THREADS_API const char *threads_status_text(threads_status status);

/* Returns what was wrong with the caller's last failed call: the call, the argument, its value and
 * the one cause, as in "threads_join: argument thread: it is null".
 *
 * Each thread of weft has its own, which it takes along. In other implementations each OS thread
 * has one, so that a thread of argobots or qthreads asks before its next call that may switch.
 * Every status but THREADS_OK counts. A failed call of libweft counts as well, and one that this
 * interface has, too, bears the name that it has here. A program that is linked with the archive of
 * this library learns nothing from modules.
 * Returns: the text, which stays as it is until the caller's next call that fails; "" if none has
 * failed.
 * Switches: never. Callers: any, also before threads_start. */
THREADS_API const char *threads_last_error(void);

/* ---- start and stop -------------------------------------------------------------------------- */

/* Chooses an implementation and starts it.
 *
 * config may be null: all defaults. The implementation is config->implementation, else that of the
 * environment variable WEFT_THREADS, else the one that the program was compiled for (threads.h),
 * else "weft". Calls do not nest. Every error comes with one line on stderr that names the cure.
 * Errors: THREADS_INVALID (no such implementation, or not the one that the program was compiled
 * for; a bad setting), THREADS_BUSY (an implementation runs already), THREADS_UNSUPPORTED (it
 * cannot be loaded, or cannot do what config wants), THREADS_NOMEM, THREADS_AGAIN (the system
 * refused an OS thread).
 * Switches: never. Callers: an OS thread outside. */
THREADS_NODISCARD THREADS_API threads_status threads_start(const threads_config *config);

/* Waits until every thread has ended, joined or not, and stops the implementation.
 *
 * The call ends the workers and returns every resource. A later threads_start may start another
 * implementation.
 * Errors: THREADS_NOT_STARTED, THREADS_NOT_OWNER (the caller is not that of threads_start).
 * Switches: may. Callers: the caller of threads_start. */
THREADS_NODISCARD THREADS_API threads_status threads_stop(void);

/* Tells whether an implementation runs.
 * Returns: true between threads_start and threads_stop.
 * Switches: never. Callers: any. */
THREADS_API bool threads_is_started(void);

/* Returns the time now.
 * Returns: nanoseconds of the monotonic clock.
 * Switches: never. Callers: any, also before threads_start. */
THREADS_API uint64_t threads_now_ns(void);

/* ---- the main thread ---------------------------------------------------------------------- */

/* Marks the caller as the main thread, for libraries that promise calls from that one alone. If
 * threads_start makes it a thread, or threads_stop an OS thread again, it stays the main thread.
 * The mark of another thread ends with threads_stop.
 * Switches: never. Callers: any, also before threads_start and after threads_stop. */
THREADS_API void threads_set_main(void);

/* Tells whether the caller was marked as the main thread.
 * Returns: true if it was; false while no caller is marked.
 * Switches: never. Callers: any, also before threads_start and after threads_stop. */
THREADS_API bool threads_is_main(void);

/* ---- queries --------------------------------------------------------------------------------- */

/* Returns the name of the implementation that runs.
 * Returns: a string such as "weft"; "" before threads_start.
 * Switches: never. Callers: any. */
THREADS_API const char *threads_implementation(void);

/* Tells what the implementation that runs is like.
 * Returns: bits of threads_feature; 0 before threads_start.
 * Switches: never. Callers: any. */
THREADS_API unsigned threads_features(void);

/* Returns how many threads can run at once, to divide work by.
 * Returns: the number; 0 before threads_start.
 * Switches: never. Callers: any. */
THREADS_API unsigned threads_worker_count(void);

/* Counts the threads at this moment.
 * *out receives the counts.
 * Errors: THREADS_INVALID (out is null), THREADS_UNSUPPORTED (the implementation does not count, as
 * threads_features() says; config.counts may help), THREADS_NOT_STARTED.
 * Switches: never. Callers: any. */
THREADS_NODISCARD THREADS_API threads_status threads_counts(threads_count *out);

/* Calls each(state, name, installed) for every implementation that this library knows of or finds.
 * installed is true if it can be started here.
 * Switches: never. Callers: any, also before threads_start. */
THREADS_API void threads_walk(void (*each)(void *state, const char *name, bool installed), void *state);

/* Says that the program holds code that was compiled for one implementation.
 * threads_start then refuses others. The headers with inline functions call this before main;
 * programs need not. name must stay for the process's life.
 * Switches: never. Callers: any, before threads_start. */
THREADS_API void threads_compiled_for(const char *name);

#ifdef __cplusplus
}
#endif
#endif
