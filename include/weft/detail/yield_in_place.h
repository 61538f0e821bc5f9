/* Weft: yields that the compiler puts in place of a call, on x86-64: thread.h. A call returns, and the processor expects a return to
 * where the latest call stands. After a switch that is a place in another thread, so that each yield is mispredicted as soon as two
 * threads yield at different places. Here the program jumps to the library, which comes back by a jump.
 *
 * A program that defines WEFT_YIELD_BY_CALL calls the functions, as the address of either always does.
 * A function whose target attribute adds AVX-512 to what its file is compiled for calls by address:
 * the jump keeps only what a call in that file keeps. */
#ifndef WEFT_DETAIL_YIELD_IN_PLACE_H /* SPDX-License-Identifier: BSD-3-Clause */
#define WEFT_DETAIL_YIELD_IN_PLACE_H

#include <weft/base.h>
#include <weft/detail/in_place.h>

#if defined(WEFT_HAS_IN_PLACE)

#ifdef __cplusplus
extern "C" {
#endif

/* Where the inlined weft_yield jumps to, with the address behind it in rax.
 * Switches: may. Callers: the inlined weft_yield alone.
 * Undefined: a call. */
WEFT_API void weft_yield_in_place(void);

/* Where the inlined weft_yield_to jumps to, as weft_yield_in_place.
 * Switches: may. Callers: the inlined weft_yield_to alone.
 * Undefined: a call. */
WEFT_API void weft_yield_to_in_place(void);

#ifndef WEFT_YIELD_BY_CALL

#define WEFT_IN_PLACE_OF_CALL extern __inline__ __attribute__((gnu_inline, always_inline))

WEFT_IN_PLACE_OF_CALL void weft_yield(void) {
  __asm__ volatile(WEFT_JUMP_AND_COME_BACK("weft_yield_in_place") : : : WEFT_LOST_BY_CALL, "rax", "rdi");
}

WEFT_IN_PLACE_OF_CALL weft_status weft_yield_to(weft_thread *thread) {
  weft_status status;
  __asm__ volatile(WEFT_JUMP_AND_COME_BACK("weft_yield_to_in_place") : "=a"(status), "+D"(thread) : : WEFT_LOST_BY_CALL);
  return status;
}

#undef WEFT_IN_PLACE_OF_CALL
#endif

#ifdef __cplusplus
}
#endif

#endif
#endif
