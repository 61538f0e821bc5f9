/* Qthreads on Weft: the header under its older name. */
#ifndef WEFT_QTHREADS_H /* SPDX-License-Identifier: BSD-3-Clause */
#define WEFT_QTHREADS_H

#include "qthread/qthread.h"

#endif
