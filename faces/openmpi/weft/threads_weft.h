/* Weft as Open MPI's threads: what the headers of this component share.
 *
 * A lock, a condition or a key of Weft works for Weft's threads and for OS threads, whether a
 * runtime of Weft runs or not. So the component starts none: the program does, with as many workers
 * as it likes, before MPI_Init or after it, and a program without Weft runs as with OS threads. */
#ifndef OPAL_MCA_THREADS_WEFT_THREADS_WEFT_H /* SPDX-License-Identifier: BSD-3-Clause */
#define OPAL_MCA_THREADS_WEFT_THREADS_WEFT_H

#include "opal_config.h"

#include <weft/weft.h>

#include "opal/constants.h"

BEGIN_C_DECLS

/* A call that the framework takes for one that cannot fail has failed: says which, the cause and the
 * cure, and aborts. */
OPAL_DECLSPEC void opal_threads_weft_give_up(const char *call, weft_status status) __attribute__((noreturn, cold));

static inline void opal_threads_weft_must(const char *call, weft_status status) {
  if (__builtin_expect(status != WEFT_OK, 0)) opal_threads_weft_give_up(call, status);
}

END_C_DECLS

#endif
