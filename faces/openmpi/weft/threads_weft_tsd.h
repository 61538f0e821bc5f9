/* Weft as Open MPI's threads: keys, inlined into opal/mca/threads/tsd.h. Values are a Weft thread's
 * own, and outside an OS thread's. */
#ifndef OPAL_MCA_THREADS_WEFT_THREADS_WEFT_TSD_H /* SPDX-License-Identifier: BSD-3-Clause */
#define OPAL_MCA_THREADS_WEFT_THREADS_WEFT_TSD_H

#include "opal/mca/threads/weft/threads_weft.h"

BEGIN_C_DECLS

typedef weft_key opal_tsd_key_t;

static inline int opal_tsd_key_delete(opal_tsd_key_t key) { return weft_key_delete(key) == WEFT_OK ? OPAL_SUCCESS : OPAL_ERROR; }

static inline int opal_tsd_set(opal_tsd_key_t key, void *value) {
  return weft_key_set(key, value) == WEFT_OK ? OPAL_SUCCESS : OPAL_ERROR;
}

static inline int opal_tsd_get(opal_tsd_key_t key, void **value) {
  *value = weft_key_get(key);
  return OPAL_SUCCESS;
}

END_C_DECLS

#endif
