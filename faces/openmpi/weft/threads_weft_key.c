/* Weft as Open MPI's threads: the one call for keys that is not inlined. */
#include "opal_config.h"

#ifndef OPAL_WEFT_CHOICE

#include "opal/constants.h"
#include "opal/mca/threads/threads.h"
#include "opal/mca/threads/tsd.h"

int opal_tsd_key_create(opal_tsd_key_t *key, opal_tsd_destructor_t destructor) {
  switch (weft_key_create(destructor, key)) {
    case WEFT_OK: return OPAL_SUCCESS;
    case WEFT_INVALID: return OPAL_ERR_BAD_PARAM;
    default: return OPAL_ERR_OUT_OF_RESOURCE;
  }
}

#endif
