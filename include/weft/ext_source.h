/* Weft for builders: outside sources of work, which workers poll. Included by ext.h, whose
 * conventions hold here. */
#ifndef WEFT_EXT_SOURCE_H
#define WEFT_EXT_SOURCE_H

#include <weft/at_worker.h>

#if defined(__cplusplus)
extern "C" {
#endif

/* Adds a source, which workers poll (weft_ext_source_add_at: which one of them polls).
 * Workers call poll(state) as a callback, one worker at a time: busy ones now and then, idle ones
 * before they sleep. The first poll may run before this call has returned. poll makes units ready
 * (by unpark, create, set) and returns how many. While a source is there, no deadlock is reported.
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

/* Removes a source: afterwards poll is not called again, and the caller may free its state.
 * If a worker is inside poll, the call blocks the calling OS thread until poll has returned. The
 * source's own memory is freed when the runtime ends.
 * Errors: WEFT_INVALID (source is null, or none of this runtime), WEFT_DEADLOCK (the caller is the
 * source's own poll), WEFT_NOT_INITIALIZED.
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
