/* Weft: start, stop and queries of the generic threads interface: the part that is never inlined. Included by threads.h, where the
 * conventions stand. */
#ifndef WEFT_THREADS_MANAGE_H
#define WEFT_THREADS_MANAGE_H

#include <weft_threads/types.h>

#ifdef __cplusplus
extern "C" {
#endif

THREADS_API const char *threads_status_name(threads_status status); /* "THREADS_NOMEM"; never null */
THREADS_API const char *threads_status_text(threads_status status); /* one sentence; never null */

/* ---- start and stop ---------------------------------------------------------------------------------------------- */

/* Chooses an implementation and starts it. config may be null: all defaults. The choice: config->implementation, else the environment
 * variable WEFT_THREADS, else what the program was compiled for (see threads.h), else "weft". Does not nest. Does not switch.
 * From an OS thread outside. Errors, each with one line on stderr that names the cure: THREADS_INVALID (no such implementation, or not
 * the one that the program was compiled for; a bad setting), THREADS_BUSY (already started), THREADS_UNSUPPORTED (it cannot be loaded,
 * or not do what config wants), THREADS_NOMEM, THREADS_AGAIN (no OS thread could be had). */
THREADS_NODISCARD THREADS_API threads_status threads_start(const threads_config *config);

/* Waits until every thread has ended, joined or not, ends the workers and returns every resource. After it threads_start may start
 * another implementation. The caller must be that of threads_start (THREADS_NOT_OWNER). May switch. THREADS_NOT_STARTED. */
THREADS_NODISCARD THREADS_API threads_status threads_stop(void);

THREADS_API bool threads_is_started(void);

THREADS_API uint64_t threads_now_ns(void); /* monotonic; also before the start */

/* ---- queries: from any, also before the start, when numbers are 0 -------------------------------------------------- */

THREADS_API const char *threads_implementation(void); /* "weft"; "" before the start */
THREADS_API unsigned threads_features(void);          /* bits of threads_feature */
/* How many threads can run at once, to divide work by. */
THREADS_API unsigned threads_worker_count(void);
/* A snapshot. THREADS_UNSUPPORTED: not counted here (threads_features()); config.counts may help. THREADS_NOT_STARTED. */
THREADS_NODISCARD THREADS_API threads_status threads_counts(threads_count *out);
/* Calls each(state, name, installed) for every implementation that this library knows of or finds. installed: it can be started here. */
THREADS_API void threads_walk(void (*each)(void *state, const char *name, bool installed), void *state);

/* Says that the program holds code that was compiled for one implementation; threads_start then refuses others. The headers with inline
 * functions call it before main; programs need not. name must live for ever. */
THREADS_API void threads_compiled_for(const char *name);

#ifdef __cplusplus
}
#endif
#endif
