/* Qthreads on Weft: the size of a cache line. */
#ifndef WEFT_QTHREADS_CACHELINE_H /* SPDX-License-Identifier: BSD-3-Clause */
#define WEFT_QTHREADS_CACHELINE_H

#include "macros.h"

Q_STARTCXX

/* Returns: the bytes of a cache line of this machine; 64 if the system does not know.
 * Switches: never. Callers: any, also before qthread_initialize. */
int qthread_cacheline(void);

Q_ENDCXX

#endif
