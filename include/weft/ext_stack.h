/* Weft for builders: the memory of stacks. Included by ext.h, whose conventions hold here. */
#ifndef WEFT_EXT_STACK_H /* SPDX-License-Identifier: BSD-3-Clause */
#define WEFT_EXT_STACK_H

#include <weft/weft.h>

#if defined(__cplusplus)
extern "C" {
#endif

/* Where the memory of stacks comes from. The library may call map and unmap on any OS thread that
 * uses Weft, at the same time and inside a lock: they must not call Weft. */
typedef struct weft_stack_provider {
  size_t size; /* sizeof(weft_stack_provider) */
  /* Returns bytes of readable and writable memory, aligned to a page, or null. The library asks for
   * many stacks at once, and for single ones of a size of their own, and puts its guards there. */
  void *(*map)(void *state, size_t bytes);
  /* Takes memory back; may be null. */
  void (*unmap)(void *state, void *base, size_t bytes);
  void *state; /* for both */
} weft_stack_provider;

/* Replaces the memory beneath all stacks that Weft makes; null: Weft's own again.
 * The library copies *provider, and uses it from the next weft_init on.
 * Errors: WEFT_BUSY (the runtime runs), WEFT_INVALID (provider has a wrong size, or no map).
 * Switches: never. Callers: any, before weft_init. */
WEFT_NODISCARD WEFT_API weft_status weft_ext_set_stack_provider(const weft_stack_provider *provider);

/* Has a function called with the stack of each ULT and tasklet that has ended; null: none any more.
 *
 * So a layer drops what it keeps beside the words of a stack before another thread runs there, by
 * weft_feb_forget(base, bytes) for instance. The library calls sink(state, base, bytes) after the
 * unit's function and the destructors of its values under keys have returned, and before a join can
 * see the end; base and bytes are those of weft_ext_thread_stack. The library calls it for memory
 * of the program's (weft_thread_attr.stack), too; and for the stacks of threads that
 * weft_finalize_with drops, before that call returns. A tasklet ends on a stack of its worker,
 * which is told then, or on that of the ULT that dispatched it, which is told at the end of that
 * ULT. What a fork left on its forker's stack is told with that stack. The library does not tell
 * the stack of an OS thread, on which the caller of weft_init or weft_worker_adopt runs, nor those
 * of contexts (context.h).
 *
 * Several OS threads may call sink at the same time, each on the very stack that it is told of:
 * sink uses no more than 8 KiB of it. sink runs without identity, so that a call that has to wait
 * returns WEFT_CANNOT_BLOCK. The function holds from the next weft_init on; the process has one.
 * While there is one, no thread runs on its joiner's stack, and starts and ends take the longer way
 * of a runtime that is watched. Without one the library does nothing for this.
 * Errors: WEFT_BUSY (the runtime runs).
 * Switches: never. Callers: any, before weft_init.
 * Undefined: sink switches, makes or dispatches a unit, forks, or writes to the stack beneath its
 * own frames. */
WEFT_NODISCARD WEFT_API weft_status weft_ext_set_stack_sink(void (*sink)(void *state, void *base, size_t bytes), void *state);

/* Tells where the stack of a thread is now.
 * *base receives its lowest address and *bytes its size; both receive null and 0 if the thread has
 * no stack now, or one whose place is unknown, and if thread is null. base and bytes may be null.
 * Switches: never. Callers: any.
 * Undefined: a thread that may run or move meanwhile, unless it is the caller. */
WEFT_API void weft_ext_thread_stack(const weft_thread *thread, void **base, size_t *bytes);

#if defined(__cplusplus)
}
#endif
#endif
