/* Weft: weft_ext_park_unlocking as the compiler puts it in place of a call, on x86-64. A call would return to where the latest call
 * stands, which after a switch is a place in another thread: yield_in_place.h. */
#ifndef WEFT_DETAIL_PARK_IN_PLACE_H /* SPDX-License-Identifier: BSD-3-Clause */
#define WEFT_DETAIL_PARK_IN_PLACE_H

#include <weft/detail/in_place.h>
#include <weft/ext.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(WEFT_HAS_IN_PLACE)

/* Where the inlined park jumps to, with the address behind it in rax.
 * Switches: may. Callers: the inlined park alone.
 * Undefined: a call. */
WEFT_API void weft_park_in_place(void);

#define WEFT_PARK_IN_PLACE(status, lock, self, what)                                   \
  do {                                                                                 \
    uint32_t *park_lock = (lock);                                                      \
    weft_thread **park_self = (self);                                                  \
    const char *park_what = (what);                                                    \
    __asm__ volatile(WEFT_JUMP_AND_COME_BACK("weft_park_in_place")                     \
                     : "=a"(status), "+D"(park_lock), "+S"(park_self), "+d"(park_what) \
                     :                                                                 \
                     : WEFT_LOST_BESIDE_ARGUMENTS);                                    \
  } while (0)

#else
#define WEFT_PARK_IN_PLACE(status, lock, self, what) (status) = weft_ext_park_unlocking(lock, self, what)
#endif

#ifdef __cplusplus
}
#endif
#endif
