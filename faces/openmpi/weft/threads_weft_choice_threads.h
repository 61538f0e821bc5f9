/* Weft's threads interface as Open MPI's threads: inlined into opal/mca/threads/threads.h. */
#ifndef OPAL_MCA_THREADS_WEFT_THREADS_WEFT_CHOICE_THREADS_H /* SPDX-License-Identifier: BSD-3-Clause */
#define OPAL_MCA_THREADS_WEFT_THREADS_WEFT_CHOICE_THREADS_H

#include <sched.h>

#include "opal/mca/threads/weft/threads_weft_choice.h"

/* Progress that finds nothing yields: the thread whose message it is may wait for this worker. */
#define OPAL_THREAD_YIELD_WHEN_IDLE_DEFAULT true

static inline void opal_thread_yield(void) {
  if (threads_is_started())
    threads_yield();
  else
    sched_yield();
}

#endif
