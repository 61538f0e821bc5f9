/* Weft: the generic threads interface, inlined for the implementation "weft". Documented in the
 * threads.h of the target weft::threads, which this one stands in for. */
#ifndef WEFT_THREADS_THREADS_H /* SPDX-License-Identifier: BSD-3-Clause */
#define WEFT_THREADS_THREADS_H

#include <weft_threads/weft/functions.h>

__attribute__((constructor)) static void threads_is_inlined_for_weft(void) { threads_compiled_for("weft"); }

#endif
