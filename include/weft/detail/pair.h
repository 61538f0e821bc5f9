/* Weft: a body on a context's stack, and the side that resumes it, in turns. Included by generators
 * and coroutines; the conventions of weft.h and context.h hold here. As two contexts that switch to
 * each other, but no handle is made and none is used up: the two sides share one record.
 *
 * On x86-64 the compiler puts a jump in place of the call: the library comes back by a jump, and the
 * code around keeps its registers itself, as few as it uses. The call of the same name does the same
 * everywhere. */
#ifndef WEFT_DETAIL_PAIR_H /* SPDX-License-Identifier: BSD-3-Clause */
#define WEFT_DETAIL_PAIR_H

#include <stdint.h>

#include <weft/context.h>
#include <weft/detail/in_place.h>

#if defined(__cplusplus)
extern "C" {
#endif

/* The record of both sides. */
typedef struct weft_pair {
  void *body;          /* the suspended body; null: it runs, or has ended */
  uint64_t opaque[15]; /* the library's */
} weft_pair;

/* Makes *pair of a suspended context that has not started, which is used up. What the context runs
 * gets null and null, must not return, and calls weft_pair_end last.
 * Switches: never. Callers: ULTs and tasklets. */
WEFT_API void weft_pair_begin(weft_pair *pair, weft_context *context);

/* Goes on in the body until that suspends itself or ends.
 * Switches: may; to contexts alone. Callers: ULTs and tasklets.
 * Undefined: a body that runs or has ended (the program ends with a line that names it). */
WEFT_API void weft_pair_resume(weft_pair *pair);

/* Goes on in the side that resumed the body, until the body is resumed.
 * Switches: may; to contexts alone. Callers: the body, or a context that it has switched to. */
WEFT_API void weft_pair_suspend(weft_pair *pair);

/* Goes on in the side that resumed the body, for good.
 * Switches: to contexts alone. Callers: the body. */
WEFT_API void weft_pair_end(weft_pair *pair) __attribute__((noreturn));

/* Frees the body's stack, on which the record may lie. The body has ended or never run.
 * Switches: never. Callers: ULTs and tasklets. */
WEFT_API void weft_pair_destroy(weft_pair *pair);

#if defined(WEFT_HAS_IN_PLACE)

/* Where the inlined resume and suspend jump to, with the address behind it in rax.
 * Switches: may; to contexts alone. Callers: the inlined ones alone.
 * Undefined: a call. */
WEFT_API void weft_pair_resume_in_place(void);
/* As weft_pair_resume_in_place. */
WEFT_API void weft_pair_suspend_in_place(void);

/* rdi comes back as it was, from the side that was switched to: so the record's address waits for no
 * load. rbx and rbp are kept by the library, because code that uses them for its frame cannot. */
#define WEFT_SWITCH_PAIR(entry, pair) \
  __asm__ volatile(WEFT_JUMP_AND_COME_BACK(entry) : : "D"(pair) : WEFT_LOST_BY_CALL, "rax", "r12", "r13", "r14", "r15")
#define WEFT_RESUME_PAIR(pair) WEFT_SWITCH_PAIR("weft_pair_resume_in_place", pair)
#define WEFT_SUSPEND_PAIR(pair) WEFT_SWITCH_PAIR("weft_pair_suspend_in_place", pair)

#else
#define WEFT_RESUME_PAIR(pair) weft_pair_resume(pair)
#define WEFT_SUSPEND_PAIR(pair) weft_pair_suspend(pair)
#endif

#ifdef __cplusplus
}
#endif
#endif
