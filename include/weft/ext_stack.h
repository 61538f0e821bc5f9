/* Weft for builders: the memory of stacks. Included by ext.h, whose conventions hold here. */
#ifndef WEFT_EXT_STACK_H
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
