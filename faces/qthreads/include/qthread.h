/* Qthreads on Weft: the header under its older name. */
#ifndef WEFT_QTHREADS_H
#define WEFT_QTHREADS_H

#include "qthread/qthread.h"

#endif
