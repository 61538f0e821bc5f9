/* What was wrong with the caller's last failed call. libweft keeps it, whichever implementation runs: for its own threads in their
 * records, else in that of the OS thread. */
#include <string.h>

#include <weft/failing.h>
#include <weft_threads/detail/fail.h>
#include <weft_threads/manage.h>

#include "builtin.h"

void threads_tell(threads_status status, const char *call, const char *argument, const char *cause, uint64_t value) {
  weft_ext_fail((weft_status)status, call, argument, cause, value); /* the numbers are the same: weft/component.c */
}

void threads_tell_as(const char *call) { weft_ext_fail_as(call); }

/* Calls that are one of libweft's and nothing else, so that they need not look at its status. */
static const struct {
  const char *beneath, *call;
} direct[] = {
    {"weft_init: ", "threads_start"},
    {"weft_finalize: ", "threads_stop"},
    {"weft_thread_create: ", "threads_create"},
    {"weft_thread_join: ", "threads_join"},
    {"weft_sleep_ns: ", "threads_sleep_ns"},
    {"weft_mutex_lock: ", "threads_mutex_lock"},
    {"weft_mutex_try_lock: ", "threads_mutex_try_lock"},
    {"weft_mutex_unlock: ", "threads_mutex_unlock"},
    {"weft_cond_wait: ", "threads_cond_wait"},
    {"weft_cond_wait_until: ", "threads_cond_wait_until"},
    {"weft_cond_signal: ", "threads_cond_signal"},
    {"weft_cond_broadcast: ", "threads_cond_broadcast"},
    {"weft_key_create: ", "threads_key_create"},
    {"weft_key_delete: ", "threads_key_delete"},
    {"weft_key_set: ", "threads_key_set"},
};

const char *threads_last_error(void) {
  const char *const text = weft_last_error();
  for (size_t i = 0; i < sizeof direct / sizeof *direct; ++i) {
    if (strncmp(text, direct[i].beneath, strlen(direct[i].beneath)) != 0) continue;
    weft_ext_fail_as(direct[i].call);
    return weft_last_error();
  }
  return text;
}
