/* Qthreads on Weft: time, timers and numbers that look random. */
#ifndef WEFT_QTHREADS_QTIMER_H /* SPDX-License-Identifier: BSD-3-Clause */
#define WEFT_QTHREADS_QTIMER_H

#include "macros.h"

Q_STARTCXX

/* A stopwatch. Two callers at one timer at a time are undefined, as is a null timer. No call here
 * switches, and any caller may make it, also before qthread_initialize. */
typedef struct qtimer_s *qtimer_t;

/* Creates a timer, started and stopped at 0.
 * Returns: the timer, for qtimer_destroy; null without memory. */
qtimer_t qtimer_create(void);
/* Frees a timer. */
void qtimer_destroy(qtimer_t timer);

/* Record the present as the timer's start, or as its stop. */
void qtimer_start(qtimer_t timer);
void qtimer_stop(qtimer_t timer);
/* Returns: the seconds from the start to the stop; negative if the timer was started again since
 * it was stopped. */
double qtimer_secs(qtimer_t timer);

/* Returns: seconds of a clock that never goes back; what it counts from is unspecified. */
double qtimer_wtime(void);
/* Returns: the resolution of the clocks of this header, in seconds. */
double qtimer_res(void);

/* Returns: a number in which every bit is as often 0 as 1. Sequences differ from run to run. They
 * are not fit for secrets. */
unsigned long qtimer_fastrand(void);

Q_ENDCXX

#endif
