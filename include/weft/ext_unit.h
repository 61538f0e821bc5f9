/* Weft for builders: units that a builder makes and owns. Included by ext.h, whose conventions
 * hold here. */
#ifndef WEFT_EXT_UNIT_H /* SPDX-License-Identifier: BSD-3-Clause */
#define WEFT_EXT_UNIT_H

#include <weft/weft.h>

#if defined(__cplusplus)
extern "C" {
#endif

/* Makes a unit that the caller owns, in no queue yet: a tasklet if tasklet is true, else a ULT.
 * function, argument and attr are those of weft_thread_create and weft_tasklet_create. *out
 * receives the handle. The unit is detached only if attr says so. An event sink is told CREATE, but
 * not READY when the owner puts the unit into a pool, and nothing when the owner discards it.
 * Errors: those of weft_thread_create, WEFT_INVALID (out is null).
 * Switches: never. Callers: any. */
WEFT_NODISCARD WEFT_API weft_status weft_ext_thread_make(weft_function function, void *argument, const weft_thread_attr *attr,
                                                         bool tasklet, weft_thread **out);

/* Makes a unit that the caller owns, and that runs function(copy), on a copy of size bytes.
 * function, bytes and size are those of weft_thread_create_copy; attr, tasklet and out are those of
 * weft_ext_thread_make. The library frees the copy when function returns or the unit is discarded.
 * Errors: those of weft_ext_thread_make, WEFT_INVALID (bytes is null, and size is not 0; size is
 * above WEFT_COPY_MAX).
 * Switches: never. Callers: any. */
WEFT_NODISCARD WEFT_API weft_status weft_ext_thread_make_copy(weft_function function, const void *bytes, size_t size,
                                                              const weft_thread_attr *attr, bool tasklet, weft_thread **out);

/* What weft_ext_thread_make_in makes; 0: a ULT that is joined. */
typedef enum weft_make_kind {
  WEFT_MAKE_TASKLET = 1,  /* a tasklet */
  WEFT_MAKE_DETACHED = 2, /* a unit that cannot be joined */
  WEFT_MAKE_CLEANED = 4   /* the builder zeroes the extension bytes that it wrote */
} weft_make_kind;

/* Makes a unit that the caller owns, in fewer instructions than weft_ext_thread_make.
 * The unit calls function with its own handle as the argument; it finds other data in its extension
 * bytes (weft_ext_bytes). Its home is pool, which may be null. kind is 0, or a bitwise OR of values
 * of weft_make_kind. *out receives the handle.
 * WEFT_MAKE_CLEANED is for units without a pool that become ready by weft_ext_thread_start, and
 * costs fewer instructions at their start and end: function zeroes the extension bytes that the
 * builder wrote before it returns, and the builder zeroes them before it discards the unit.
 * Errors: WEFT_INVALID (function or out is null; kind has other bits; pool is not null and kind has
 * WEFT_MAKE_CLEANED), WEFT_NOMEM, WEFT_NOT_INITIALIZED.
 * Switches: never. Callers: any.
 * Undefined, of a unit of WEFT_MAKE_CLEANED: it is pushed to a pool or dispatched before it has
 * started; extension bytes that are not zeroed. */
WEFT_NODISCARD WEFT_API weft_status weft_ext_thread_make_in(weft_pool *pool, weft_function function, unsigned kind,
                                                            weft_thread **out);

/* A place in a source, as std::source_location has it. */
typedef struct weft_ext_place {
  const char *file;     /* as the compiler was given it */
  const char *function; /* as it is declared: "int main()" */
  unsigned line;        /* from 1 */
  unsigned column;      /* from 1; 0: unknown */
} weft_ext_place;

/* Creates a ULT as weft_thread_create does, and notes the place in the source that asked for it.
 * A layer calls this in the name of its own caller, as the C++ headers do. Dumps, reports and
 * traces then name the thread by place, not by function, which is the layer's own, and say that it
 * was made there. place is null (unknown), or constant data that stays loaded while the thread
 * lives.
 * Errors: those of weft_thread_create.
 * Switches: never. Callers: any. */
WEFT_NODISCARD WEFT_API weft_status weft_ext_thread_create_at(weft_function function, void *argument,
                                                              const weft_thread_attr *attr, weft_thread **out,
                                                              const weft_ext_place *place);

/* Creates a ULT that runs function(memory), on size bytes of memory that the layer fills itself.
 * The call does what weft_thread_create_copy does, except that it calls fill(memory, source)
 * instead of copying. fill runs on the caller's stack and with its identity, before the thread can
 * run, and only if the call succeeds. The C++ headers pass closures in this way. place is that of
 * weft_ext_thread_create_at.
 * Errors: those of weft_thread_create_copy, WEFT_INVALID (fill is null).
 * Switches: never. Callers: any.
 * Undefined: fill throws an exception, or switches. */
WEFT_NODISCARD WEFT_API weft_status weft_ext_thread_create_filled(weft_function function, size_t size,
                                                                  void (*fill)(void *memory, void *source), void *source,
                                                                  const weft_thread_attr *attr, weft_thread **out,
                                                                  const weft_ext_place *place);

/* Makes an owned unit ready that has no pool: it enters the default queue of the calling worker, as
 * a thread of weft_thread_create does. A unit of a pool becomes ready by weft_ext_pool_push.
 * Errors: WEFT_INVALID (owned is null; its home is a pool).
 * Switches: never. Callers: any.
 * Undefined: a unit that the caller does not own. */
WEFT_NODISCARD WEFT_API weft_status weft_ext_thread_start(weft_thread *owned);

/* Makes an owned unit ready as weft_ext_thread_start does, and sends it to a worker that looks for
 * work at this moment, if there is one. There it starts soon; a unit of weft_ext_thread_start
 * waits until the caller's worker answers a worker that asks for work, which it does at its next
 * switch or creation. Use it for few units that each run for microseconds or more, such as the
 * parts of a loop: the caller's worker cannot take the unit back cheaply.
 * The unit stays in the caller's worker's default queue if no worker looks for work, with
 * WEFT_SCHEDULE, and where WEFT_LOCALITY or WEFT_MIGRATE place units.
 * Errors: WEFT_INVALID (owned is null; its home is a pool).
 * Switches: never. Callers: any.
 * Undefined: a unit that the caller does not own. */
WEFT_NODISCARD WEFT_API weft_status weft_ext_thread_offer(weft_thread *owned);

/* Takes back a unit of weft_ext_thread_start or weft_ext_thread_offer that has not started, if it
 * waits in the default queue of the calling worker. A joiner runs the unit's work itself in this
 * way, and then discards the unit. The call gives other units of the worker their turn: when one
 * has waited longer than the worker lets it, the unit stays in the queue, and the caller should
 * wait.
 * Returns: true if the caller then owns the unit; false otherwise, for a unit that has parked or
 * yielded, for a caller that is not a ULT of a worker, and for null.
 * Switches: never. Callers: any.
 * Undefined: a handle that is no longer good. */
WEFT_NODISCARD WEFT_API bool weft_ext_thread_take_back(weft_thread *thread);

/* Frees an owned unit that has not started. For null, nothing is done.
 * Switches: never. Callers: any.
 * Undefined: a unit that has started, or that the caller does not own; any later call with it. */
WEFT_API void weft_ext_thread_discard(weft_thread *owned);

/* Where the library keeps what weft_ext_thread_note_wait noted. */
typedef struct weft_ext_wait {
  uint64_t opaque[32]; /* the library's */
} weft_ext_wait;

/* Notes for reports what an owned unit that has not started waits for, such as an awaiter that will
 * make it ready: a report says that it waits for what, at object, and since when.
 * what is constant data; null stands for nothing, and wait may then be null, too. *wait stays until
 * the next such call with the unit. Before the unit is pushed, dispatched or discarded, the caller
 * notes nothing.
 * Switches: never. Callers: any.
 * Undefined: a unit that has started, or that the caller does not own. */
WEFT_API void weft_ext_thread_note_wait(weft_thread *owned, weft_ext_wait *wait, const char *what, const void *object);

/* Waits until a thread has ended, but does not free its descriptor.
 * The caller has the right to join the thread, and keeps it. Afterwards it joins the thread (which
 * returns at once), revives it, or looks at its extension bytes.
 * Errors: those of weft_thread_join.
 * Switches: may. Callers: any.
 * Undefined: what is undefined for weft_thread_join; a call after weft_finalize_with has dropped
 * the thread, which gave WEFT_ENDED to the calls that waited then. */
WEFT_NODISCARD WEFT_API weft_status weft_ext_thread_wait(weft_thread *thread);

/* Makes a new unit of a thread that has ended and was not joined: it will run function(argument).
 * The caller has the right to join the thread, and then owns the unit. It is what the thread was, a
 * ULT or a tasklet, and keeps its handle, id, name, home, pinning, keep_fp, stack and extension
 * bytes, but no value of a key, and no move that weft_thread_migrate_to_* asked for. A thread of
 * WEFT_STARTING_WORKER is pinned anew, to the worker that starts it this time.
 * Errors: WEFT_INVALID (thread or function is null; the worker that the thread was pinned to is
 * gone), WEFT_BUSY (it has not ended), WEFT_NOMEM (no stack of its size). After an error the caller
 * can still join the thread.
 * Switches: never. Callers: any.
 * Undefined: a thread that was joined, or is detached. */
WEFT_NODISCARD WEFT_API weft_status weft_ext_thread_revive(weft_thread *thread, weft_function function, void *argument);

#if defined(__cplusplus)
}
#endif
#endif
