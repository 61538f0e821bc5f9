/* Weft as Open MPI's threads, chosen when a program starts: what the headers of that kind share.
 *
 * Configured with --enable-weft-choice, Open MPI waits by Weft's threads interface instead of by
 * libweft itself. What a wait is, WEFT_THREADS says when the program calls threads_start: threads of
 * Weft's, OS threads, or threads of another library. Until then, and after threads_stop, every
 * caller is an OS thread. The component starts nothing. */
#ifndef OPAL_MCA_THREADS_WEFT_THREADS_WEFT_CHOICE_H /* SPDX-License-Identifier: BSD-3-Clause */
#define OPAL_MCA_THREADS_WEFT_THREADS_WEFT_CHOICE_H

#include "opal_config.h"

#include <weft_threads/lock.h>
#include <weft_threads/progress.h>
#include <weft_threads/threads.h>
#include <weft_threads/tracked.h>

#include "opal/constants.h"

BEGIN_C_DECLS

/* A call that the framework takes for one that cannot fail has failed: says which, the cause and the
 * cure, and aborts. */
OPAL_DECLSPEC void opal_threads_weft_choice_give_up(const char *call, threads_status status) __attribute__((noreturn, cold));

static inline void opal_threads_weft_choice_must(const char *call, threads_status status) {
  if (__builtin_expect(status != THREADS_OK, 0)) opal_threads_weft_choice_give_up(call, status);
}

END_C_DECLS

#endif
