/* Weft's threads interface as Open MPI's threads: the calls that are not inlined. */
#include "opal_config.h"

#ifdef OPAL_WEFT_CHOICE

#include <stdio.h>
#include <stdlib.h>

#include "opal/constants.h"
#include "opal/mca/threads/threads.h"
#include "opal/mca/threads/tsd.h"

int opal_tsd_key_create(opal_tsd_key_t *key, opal_tsd_destructor_t destructor) {
  const threads_tracked_key fresh = THREADS_TRACKED_KEY_INIT(destructor);
  if (key == NULL) return OPAL_ERR_BAD_PARAM;
  threads_tracked_key *const made = malloc(sizeof *made);
  if (made == NULL) return OPAL_ERR_OUT_OF_RESOURCE;
  *made = fresh;
  *key = made;
  return OPAL_SUCCESS;
}

/* The framework frees values of its tracked keys itself, and other values stay their owners'. */
int opal_tsd_key_delete(opal_tsd_key_t key) {
  if (key == NULL) return OPAL_ERROR;
  key->destructor = NULL;
  if (threads_tracked_delete(key) != THREADS_OK) return OPAL_ERROR;
  free(key);
  return OPAL_SUCCESS;
}

static const char *cure_of(threads_status status) {
  if (status == THREADS_CANNOT_BLOCK) return "call MPI in a thread, not in a tasklet or a callback of Weft's";
  return "this is a fault of Open MPI's or of this component's";
}

void opal_threads_weft_choice_give_up(const char *call, threads_status status) {
  fprintf(stderr, "Open MPI on Weft: %s: %s (%s): %s\n", call, threads_status_name(status), threads_last_error(),
          cure_of(status));
  abort();
}

#endif
