/* Weft for builders: what a builder is told of threads, and notes of its own in the trace.
 * Included by ext.h, whose conventions hold here. */
#ifndef WEFT_EXT_EVENT_H /* SPDX-License-Identifier: BSD-3-Clause */
#define WEFT_EXT_EVENT_H

#include <weft/weft.h>

#if defined(__cplusplus)
extern "C" {
#endif

/* What an event sink is told of. The events of a thread come in this order: CREATE; READY; maybe
 * STEAL; RUN; then YIELD, or PARK and READY, and RUN again, as often as the thread leaves its
 * worker; END; and JOIN, if it is joined. What a builder made has no READY before its first RUN. */
typedef enum weft_event_kind {
  WEFT_ON_CREATE, /* the thread was made, or revived */
  WEFT_ON_RUN,    /* a worker begins to run it */
  WEFT_ON_YIELD,  /* it leaves its worker and stays ready */
  WEFT_ON_PARK,   /* it leaves its worker and waits */
  WEFT_ON_READY,  /* it becomes ready */
  WEFT_ON_END,    /* it has ended */
  WEFT_ON_JOIN,   /* it was joined */
  WEFT_ON_STEAL   /* another worker took it out of its worker's queue */
} weft_event_kind;

/* Has the library call sink(state, kind, thread) at every event of every thread; null: at none.
 * The process has one sink; a call replaces the earlier one. sink is a callback, on the worker, or
 * the OS thread outside, where the event happens. Weft may hold a lock around it, such as that of
 * the object at which a thread parks. sink may read clocks and what is known of threads (ids,
 * names, extension bytes), and use locks of its own. It must not make, wake, join or move threads
 * (checked builds name it), or use objects at which callers of Weft wait.
 * A sink that is set before weft_init is told of every event. If a sink is set, replaced or removed
 * while the runtime runs, each worker notices that at its next event; such a sink may miss events
 * of threads that go through no pool and no scheduler ULT. After the return, calls of the old sink
 * that have begun may still run: keep its state and code until weft_finalize has returned. A fork
 * becomes a thread when another worker takes it, or when its forker leaves its worker; it has no
 * events before. The adopted caller of weft_init has no CREATE and no END.
 * Errors: WEFT_NOMEM (only while the runtime runs).
 * Switches: never. Callers: any. */
WEFT_NODISCARD WEFT_API weft_status weft_ext_set_event_sink(void (*sink)(void *state, weft_event_kind kind, weft_thread *thread),
                                                            void *state);

/* Records in the trace (WEFT_TRACE) that something happened in the calling thread now.
 * name is a static string, by which `weft profile` counts the notes and adds up their values. It
 * ends in the unit of the value: "mylib: sent (bytes)", "mylib: answered (ns)". value says how
 * much, and is below 2^53. Without a trace, and for null, nothing is done.
 * Switches: never. Callers: any. */
WEFT_API void weft_ext_trace_note(const char *name, uint64_t value);

#if defined(__cplusplus)
}
#endif
#endif
