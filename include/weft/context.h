/* Weft: contexts, for generators and coroutines with stacks of their own. Included by name; the
 * conventions of weft.h hold here. context.hpp, generator.hpp and coroutine2.hpp are made of it.
 *
 * A context is a flow of control on a stack of its own that no queue holds: a thread switches to
 * it, and from then on that thread runs it. A context has no identity. What it runs is the thread
 * that switched to it: weft_self(), keys, ownership of mutexes and the worker are that thread's,
 * and a call that blocks in it blocks that thread. A switch back leaves the context suspended, and
 * any thread, on any worker, may switch to it next.
 *
 *   static weft_context *count(weft_context *caller, void *passed, void *room) {
 *     for (long i = 0; i < 3; i++) caller = weft_context_switch(caller, &i).from;
 *     return caller;
 *   }
 *   ...
 *   weft_context_arrival now = {NULL, NULL};
 *   if (weft_context_create(count, NULL, &now.from, NULL) != WEFT_OK) ...
 *   while ((now = weft_context_switch(now.from, NULL)).from != NULL) use(*(long *)now.passed);
 *
 * Handles are used up: each switch takes the handle of a suspended context and returns that of the
 * context, or of the thread's own frames, that switched back. Only the thread itself may switch to
 * its own frames.
 *
 * Forks (hot.h) belong to the thread. A context that is suspended with forks that it has not joined
 * must be resumed by the same thread until it has joined them; checked builds name another one.
 *
 * A context may outlive the runtime. It is then resumed and destroyed by OS threads outside, or by
 * ULTs and tasklets of a later runtime; what it calls meets the runtime that runs then, or none.
 *
 * Stacks are guarded, and an overflow is reported with the place where the context was made. A
 * switch exchanges the exceptions that the C++ run time keeps, where they are carried (weft.h,
 * "Exceptions"). It does not exchange the FP control words. */
#ifndef WEFT_CONTEXT_H /* SPDX-License-Identifier: BSD-3-Clause */
#define WEFT_CONTEXT_H

#include <weft/ext.h>
#include <weft/weft.h>

#if defined(__cplusplus)
extern "C" {
#endif

/* A suspended context, or the suspended frames of a thread. */
typedef struct weft_context weft_context;

/* What a context runs. from is what switched to it first, and passed what that switch passed. room
 * is that of weft_context_create. It returns the context that goes on; its own stack is then freed.
 * An exception must not leave it. */
typedef weft_context *(*weft_context_function)(weft_context *from, void *passed, void *room);

/* What a switch returns: what switched back. */
typedef struct weft_context_arrival {
  weft_context *from; /* null: it has ended */
  void *passed;       /* what it passed; null if it has ended */
} weft_context_arrival;

/* What a context is to be like. */
typedef struct weft_context_attr {
  size_t size;        /* sizeof(weft_context_attr); WEFT_CONTEXT_ATTR_INIT sets it */
  size_t stack_bytes; /* 0: the runtime's default; else at least WEFT_STACK_MIN, rounded up to pages */
  size_t room_bytes;  /* of its stack that the creator fills; at most WEFT_CONTEXT_ROOM_MAX */
  void *stack;        /* null: Weft's guarded stack; else the caller's memory of stack_bytes */
  /* With stack, or null: called when nothing runs on that memory any more, by the thread that has
   * left it, with the context's room. It must not switch. */
  void (*release)(void *room);
  const weft_ext_place *made_at; /* constant data; null: the code that calls weft_context_create */
} weft_context_attr;

/* All defaults. */
#define WEFT_CONTEXT_ATTR_INIT {sizeof(weft_context_attr), 0, 0, NULL, NULL, NULL}

/* The most bytes of a context's stack that its creator fills. */
#define WEFT_CONTEXT_ROOM_MAX 2048u

/* Creates a suspended context that runs function(from, passed, room) when it is first switched to.
 *
 * *out receives its handle. attr may be null: all defaults. room may be null; else *room receives
 * the address of room_bytes bytes of the context's own stack, aligned as malloc aligns memory,
 * which the creator fills. They stay until the context has ended. The context ends when function
 * returns, or by weft_context_destroy.
 * Errors: WEFT_INVALID (function or out is null; attr has a wrong size, a stack or a room of a size
 * that is not allowed), WEFT_NOMEM, WEFT_NOT_INITIALIZED, WEFT_CANNOT_BLOCK (the caller is outside,
 * or a callback).
 * Switches: never. Callers: ULTs and tasklets. */
WEFT_NODISCARD WEFT_API weft_status weft_context_create(weft_context_function function, const weft_context_attr *attr,
                                                        weft_context **out, void **room);

/* Suspends the caller's context and resumes another one, on the same worker.
 *
 * The call uses the handle context up, and hands pass to what it resumes. It returns when some
 * thread switches to what was suspended here: then the caller may be run by another thread, and on
 * another worker.
 * Returns: the handle of what switched back, and what that passed.
 * Switches: may; to contexts alone: no other thread runs in between.
 * Callers: ULTs and tasklets.
 * Undefined: a handle that was used up; frames of another thread; null (each ends the program with
 * a line that names it, as far as the library can know). */
WEFT_API weft_context_arrival weft_context_switch(weft_context *context, void *pass);

/* Frees a suspended context without running it: nothing in its frames is cleaned up.
 * The call uses the handle up, and calls release of its attributes, if there is one. For null,
 * nothing is done.
 * Switches: never. Callers: ULTs and tasklets.
 * Undefined: a handle that was used up; the frames of a thread (the program ends with a line that
 * names it). */
WEFT_API void weft_context_destroy(weft_context *context);

#ifdef __cplusplus
}
#endif
#endif
