/* The implementation weft as a table of functions. */
#include <weft/ext.h>
#include <weft_threads/component.h>
#include <weft_threads/weft/functions.h>

#include "../builtin.h"
#include "../environment.h"
#include "counts.h"
#include "keys.h"

_Static_assert(sizeof(weft_mutex) <= sizeof(threads_mutex), "a mutex holds libweft's");
_Static_assert(sizeof(weft_cond) <= sizeof(threads_cond), "a condition holds libweft's");
_Static_assert((int)THREADS_OK == (int)WEFT_OK && (int)THREADS_NOMEM == (int)WEFT_NOMEM &&
                   (int)THREADS_INVALID == (int)WEFT_INVALID && (int)THREADS_BUSY == (int)WEFT_BUSY &&
                   (int)THREADS_TIMEOUT == (int)WEFT_TIMEOUT && (int)THREADS_AGAIN == (int)WEFT_AGAIN &&
                   (int)THREADS_UNSUPPORTED == (int)WEFT_UNSUPPORTED && (int)THREADS_NOT_STARTED == (int)WEFT_NOT_INITIALIZED &&
                   (int)THREADS_CANNOT_BLOCK == (int)WEFT_CANNOT_BLOCK && (int)THREADS_NOT_OWNER == (int)WEFT_NOT_OWNER &&
                   (int)THREADS_DEADLOCK == (int)WEFT_DEADLOCK,
               "threads_of_weft is a cast");

static bool is_caller_outside;

static threads_status start(const threads_config *config) {
  weft_config its = WEFT_CONFIG_INIT;
  its.workers = config->workers;
  its.stack_bytes = config->stack_bytes;
  its.caller_outside = config->caller_outside;
  threads_status status = weft_counts_prepare(config->counts);
  if (status == THREADS_BUSY) report_error("weft: counts must be asked for before anybody else calls weft_init");
  if (status != THREADS_OK) return status;
  weft_ext_leave_signals();
  if (weft_worker_count() == 0) weft_keys_end(); /* of a runtime that went on after the stop, and has ended */
  status = threads_of_weft(weft_init(&its));
  if (status != THREADS_OK) {
    if (status == THREADS_NOMEM || status == THREADS_AGAIN)
      report_error("weft: %s", threads_status_text(status)); /* else it said so */
    weft_counts_end();
    return status;
  }
  is_caller_outside = weft_self() == NULL; /* another's weft_init, before, may have wanted something else */
  weft_counts_adopt_caller();
  return THREADS_OK;
}

static threads_status stop(void) {
  const threads_status status = threads_of_weft(weft_finalize());
  if (status != THREADS_OK) return status;
  weft_counts_end();
  if (weft_worker_count() == 0) weft_keys_end(); /* else the program's own weft_init goes on, and so do values */
  return status;
}

static unsigned features(void) {
  return THREADS_MIGRATES | (weft_counts_are_kept() ? THREADS_COUNTS : 0) | (is_caller_outside ? THREADS_CALLER_OUTSIDE : 0);
}

const threads_component threads_component_weft = {
    .version = THREADS_COMPONENT_VERSION,
    .size = sizeof(threads_component),
    .name = "weft",
    .start = start,
    .stop = stop,
    .features = features,
    .worker_count = weft_worker_count,
    .counts = weft_counts_read,
    THREADS_COMPONENT_CALLS,
};
