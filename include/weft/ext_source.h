/* Weft for builders: outside sources of work, which workers poll. Included by ext.h, whose
 * conventions hold here. */
#ifndef WEFT_EXT_SOURCE_H /* SPDX-License-Identifier: BSD-3-Clause */
#define WEFT_EXT_SOURCE_H

#include <weft/at_worker.h>

#if defined(__cplusplus)
extern "C" {
#endif

/* Adds a source, which workers poll (weft_ext_source_add_at: which one of them polls).
 * Workers call poll(state) as a callback, one worker at a time: busy ones now and then, idle ones
 * before they sleep. The first poll may run before this call has returned. poll makes units ready
 * (by unpark, create, set) and returns how many; if any, it is called again before all workers
 * sleep. While a source is there, no deadlock is reported.
 * *out receives the source. A source that is never removed is freed with the runtime.
 * Errors: WEFT_INVALID (poll or out is null), WEFT_NOT_INITIALIZED, WEFT_NOMEM, WEFT_AGAIN (there
 * are 64 sources).
 * Switches: never. Callers: any. */
WEFT_NODISCARD WEFT_API weft_status weft_ext_source_add(size_t (*poll)(void *state), void *state, weft_source **out);

/* Adds a source whose poll finds work only after a call of weft_ext_source_notify.
 * The call does what weft_ext_source_add does, except that deadlocks are reported although the
 * source is there. It is for requests to the workers that any OS thread or a signal handler may
 * make, and that most programs never make.
 * Errors: those of weft_ext_source_add.
 * Switches: never. Callers: any. */
WEFT_NODISCARD WEFT_API weft_status weft_ext_bell_add(size_t (*poll)(void *state), void *state, weft_source **out);

/* A source in which an idle worker sleeps: in epoll_wait(2), io_uring_enter(2), or the wait of a
 * message layer or a device. At most one worker at a time is inside poll or wait. */
typedef struct weft_source_ops {
  size_t size; /* sizeof(weft_source_ops) */
  /* As weft_ext_source_add's. */
  size_t (*poll)(void *state);
  /* Sleeps until poll would find something, wake was called, or deadline_ns has come
   * (CLOCK_MONOTONIC; WEFT_FOREVER: there is none).
   * A worker without work calls wait as a callback. wait returns at once if poll would find
   * something now, or if wake was called since the last wait began. It may return too early. If it
   * returns late, timed waits of threads end late. Workers poll after it. */
  void (*wait)(void *state, uint64_t deadline_ns);
  /* Makes the wait that runs, or else the next one, return: by a write to an eventfd(2), for
   * example. wake is called on any OS thread, on several at once, and in signal handlers if the
   * program calls Weft there. It may not call Weft. */
  void (*wake)(void *state);
} weft_source_ops;

/* Adds a source in which an idle worker sleeps, so that no OS thread of the program needs to wait
 * for news and call weft_ext_source_notify.
 *
 * The library copies *ops. While workers sleep, one of them sleeps in wait; the others sleep as
 * they do without a source. Under WEFT_WAIT_ACTIVE, where no worker sleeps, and under
 * WEFT_SCHEDULE, sources are only polled. Each further source of this kind occupies one further
 * idle worker; for the sources that then have none, an idle worker polls every millisecond, and a
 * line on standard error says so.
 * Deadlocks are reported although the source is there, unless weft_ext_source_expect says that
 * threads wait for it; under WEFT_SCHEDULE, only where the process has no other OS thread. *out
 * receives the source. A source that is never removed is freed with the runtime.
 * Errors: WEFT_INVALID (ops or out is null; ops has a wrong size, or no poll, wait or wake),
 * WEFT_NOT_INITIALIZED, WEFT_NOMEM, WEFT_AGAIN (there are 64 sources).
 * Switches: never. Callers: any. */
WEFT_NODISCARD WEFT_API weft_status weft_ext_source_add_with(const weft_source_ops *ops, void *state, weft_source **out);

/* Says that count threads more wait for what only this source can bring; count is negative when
 * they wait no more.
 * While the sum of all counts is not 0, no deadlock is reported. For null, a removed source, and
 * while the runtime does not run, nothing is done. weft_ext_source_remove takes back what is left.
 * Switches: never. Callers: any, signal handlers included.
 * Undefined: a source of an earlier runtime; a call beside weft_ext_source_remove. */
WEFT_API void weft_ext_source_expect(weft_source *source, int count);

/* Removes a source: afterwards poll, wait and wake are not called again, and the caller may free
 * its state.
 * If a worker is inside poll or wait, the call blocks the calling OS thread until that has
 * returned, for which it calls wake. The source's own memory is freed when the runtime ends.
 * Errors: WEFT_INVALID (source is null, or none of this runtime), WEFT_DEADLOCK (the caller is the
 * source's own poll or wait), WEFT_NOT_INITIALIZED.
 * Switches: never. Callers: any. */
WEFT_NODISCARD WEFT_API weft_status weft_ext_source_remove(weft_source *source);

/* Has a worker poll a source soon; wakes a sleeping worker unless one looks for work already.
 * The call takes no lock, so that a signal handler may wake threads by a source whose poll makes
 * them ready. For null, and while the runtime does not run, nothing is done. A removed source may
 * be notified until the runtime ends.
 * Switches: never. Callers: any, signal handlers included.
 * Undefined: a source of an earlier runtime. */
WEFT_API void weft_ext_source_notify(weft_source *source);

#if defined(__cplusplus)
}
#endif
#endif
