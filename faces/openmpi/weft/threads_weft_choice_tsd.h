/* Weft's threads interface as Open MPI's threads: keys, inlined into opal/mca/threads/tsd.h. Values
 * are a thread's own, and outside an OS thread's. */
#ifndef OPAL_MCA_THREADS_WEFT_THREADS_WEFT_CHOICE_TSD_H /* SPDX-License-Identifier: BSD-3-Clause */
#define OPAL_MCA_THREADS_WEFT_THREADS_WEFT_CHOICE_TSD_H

#include "opal/mca/threads/weft/threads_weft_choice.h"

BEGIN_C_DECLS

typedef threads_tracked_key *opal_tsd_key_t;

/* threads_weft_choice.c has it. */
OPAL_DECLSPEC int opal_tsd_key_delete(opal_tsd_key_t key);

static inline int opal_tsd_set(opal_tsd_key_t key, void *value) {
  return threads_tracked_set(key, value) == THREADS_OK ? OPAL_SUCCESS : OPAL_ERROR;
}

static inline int opal_tsd_get(opal_tsd_key_t key, void **value) {
  *value = threads_tracked_get(key);
  return OPAL_SUCCESS;
}

END_C_DECLS

#endif
