/* Weft: what the runtime tells about itself: statistics, facts, dumps, stack overflows. Included by
 * weft.h, whose conventions hold here. */
#ifndef WEFT_REPORT_H /* SPDX-License-Identifier: BSD-3-Clause */
#define WEFT_REPORT_H

#include <weft/base.h>

#if defined(__cplusplus)
extern "C" {
#endif

/* ---- statistics ------------------------------------------------------------------------------ */

/* Counts since weft_init, of one worker or of all. Only what costs nothing to count is here. Parks,
 * unparks, yields, forks that their forker joined itself and lengths of queues are not: each of
 * them would pay for its count. WEFT_TRACE shows those. */
typedef struct weft_stats {
  size_t size; /* sizeof(weft_stats); WEFT_STATS_INIT sets it */
  /* Threads, tasklets, and forks that became threads; those made outside count only in all. */
  uint64_t created;
  /* Of these, those that ended or were discarded (ext.h), by worker; outside: only in all. */
  uint64_t ended;
  uint64_t searches;    /* looks at other workers for something to steal */
  uint64_t thefts;      /* searches that found something */
  uint64_t stolen;      /* threads and tasklets that these brought, forks included */
  uint64_t forks_taken; /* of these, forks that their forker had not joined yet */
  uint64_t idle;        /* times that the worker ran out of work */
  uint64_t sleeps;      /* times that it then went to sleep in the kernel */
  uint64_t woken;       /* times that it was woken from that */
  uint64_t migrations;  /* moves that weft_thread_migrate_to_* asked for; only in all */
  /* Stacks in fresh memory: the most at once, less those that workers keep ready; only in all. */
  uint64_t stacks_made;
  /* Stacks whose memory went back to the system (WEFT_STACK_CACHE); only in all. */
  uint64_t stacks_returned;
} weft_stats;

/* All counts 0. */
#define WEFT_STATS_INIT {sizeof(weft_stats), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}

/* Reads the counts of a worker, or of all.
 *
 * worker is an index, also that of a worker that was removed, or WEFT_ANY_WORKER for all. The
 * caller sets *out to WEFT_STATS_INIT before the call, which overwrites it. Each count is exact,
 * but the call reads one after the other while workers go on. What counts only in all is 0 for one
 * worker.
 * Errors: WEFT_INVALID (out is null or has a wrong size; no such worker so far),
 * WEFT_NOT_INITIALIZED.
 * Switches: never. Callers: any.
 * Undefined: a call from an OS thread outside while weft_finalize runs. */
WEFT_NODISCARD WEFT_API weft_status weft_stats_read(int worker, weft_stats *out);

/* How many threads and workers are in which state now. */
typedef struct weft_counts {
  size_t size;      /* sizeof(weft_counts); WEFT_COUNTS_INIT sets it */
  uint64_t ready;   /* threads and tasklets that wait for a worker */
  uint64_t running; /* those that run, the caller and main included */
  uint64_t blocked; /* those that wait, sleep, are suspended, or whose blocking call lasts */
  unsigned workers; /* of the runtime, adopted ones included */
  unsigned idle;    /* of these, those that look for work or sleep */
} weft_counts;

/* All counts 0. */
#define WEFT_COUNTS_INIT {sizeof(weft_counts), 0, 0, 0, 0, 0}

/* Counts threads and workers by state.
 *
 * The caller sets *out to WEFT_COUNTS_INIT before the call, which overwrites it. The call looks at
 * every descriptor, one after the other, while workers go on: the counts are exact if no thread
 * changes its state meanwhile. A fork counts once it has become a thread, and a thread that has
 * ended does not count. A thread that joins another one on its own stack counts as blocked, and one
 * in a blocking region as running until its worker goes to another OS thread.
 * Errors: WEFT_INVALID (out is null or has a wrong size), WEFT_NOT_INITIALIZED.
 * Switches: never. Callers: any. */
WEFT_NODISCARD WEFT_API weft_status weft_count_threads(weft_counts *out);

/* ---- facts ----------------------------------------------------------------------------------- */

/* Calls each(state, key, value) for every fact about this library and this machine.
 *
 * The caller runs each, and the last call of each has returned when this call returns. Keys are
 * made of letters, digits, '.' and '_': "version", "build.checked", "topology.cpus",
 * "limit.mappings", "selftest.guard", "setting.WEFT_WORKERS" (what is in force: the default, or
 * what the environment says), and for each environment variable "variable.NAME.range", ".default"
 * and ".text". A value is one line. Both are valid during the call of each. Environment variables
 * that weft_init would refuse are reported on stderr; the settings of the core are then the
 * defaults. If each is null, nothing is done.
 * Switches: never. Callers: any, also while the runtime does not run. */
WEFT_API void weft_info_walk(void (*each)(void *state, const char *key, const char *value), void *state);

/* ---- dumps and faults ------------------------------------------------------------------------ */

/* Writes all threads to the file descriptor fd, as text for people: state, what each waits for and
 * since when, where it was made, and its backtrace. Workers run on meanwhile. The descriptor stays
 * open.
 * Errors: WEFT_NOT_INITIALIZED, WEFT_INVALID (fd is negative; not everything could be written).
 * Switches: never. Callers: any. */
WEFT_NODISCARD WEFT_API weft_status weft_dump(int fd);

/* Writes what the runtime's trace (WEFT_TRACE) holds so far to the file at path, in the format that
 * `weft profile` and Perfetto read: what ran lately, what runs now, and what waits for what.
 *
 * A file that exists is replaced once all is written, so that a call that fails leaves it; what is
 * written first has its name with the number of the process and ".part" behind. A pipe, a device, a
 * symbolic link, and a file beside which none can be made, are written in place. A new file has
 * mode 0600.
 *
 * The trace goes on, and each call writes the newest records: a worker's memory for them is
 * WEFT_TRACE_SIZE. Workers run on meanwhile. The call copies what they have recorded, and leaves
 * out what they change during the copy; it takes as much memory again as the trace has. The path is
 * not used after the call.
 * Errors: WEFT_INVALID (path is null; it cannot be opened for writing; not everything could be
 * written), WEFT_UNSUPPORTED (no trace is recorded; a child of fork(2)), WEFT_NOT_INITIALIZED,
 * WEFT_NOMEM.
 * Switches: never. Callers: any but signal handlers.
 * Undefined: a call from an OS thread outside while weft_finalize runs. */
WEFT_NODISCARD WEFT_API weft_status weft_trace_dump(const char *path);

/* Reports a stack overflow on stderr, for a program with a SIGSEGV handler of its own.
 *
 * A handler for SIGSEGV and SIGBUS that was installed after weft_init calls this first, with its
 * own arguments (those of sigaction(2)). If the result is true, the handler returns: the signals
 * have their default actions then, so that the fault repeats and ends the program. If it is false,
 * the handler goes on as it would without Weft. The call is async-signal-safe.
 * Returns: true if it has reported an overflow, or waited while another worker reported its own;
 * false if the fault is none of Weft's.
 * Switches: never. Callers: a signal handler. */
WEFT_API bool weft_fault_filter(int signal, void *info, void *context);

#ifdef __cplusplus
}
#endif
#endif
