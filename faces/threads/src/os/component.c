/* The implementations fifo and pool as tables of functions. */
#include <weft_threads/component.h>
#include <weft_threads/os/functions.h>

#include "../builtin.h"
#include "../keys.h"
#include "engine.h"

_Static_assert(sizeof(pthread_mutex_t) <= sizeof(threads_mutex), "a mutex holds the OS's");
_Static_assert(sizeof(pthread_cond_t) <= sizeof(threads_cond), "a condition holds the OS's");

static struct os_self caller;

static threads_status start(const char *name, const threads_config *config) {
  struct os_settings settings;
  threads_status status = os_read_settings(name, config, &settings);
  if (status == THREADS_OK) status = os_queue_start(&settings);
  if (status == THREADS_OK && !config->caller_outside) {
    caller = (struct os_self){0, NULL, NULL};
    os_self_now = &caller;
  }
  return status;
}

static threads_status start_fifo(const threads_config *config) { return start("fifo", config); }
static threads_status start_pool(const threads_config *config) { return start("pool", config); }

static threads_status stop(void) {
  if (caller.values != NULL) key_values_end(caller.values);
  caller.values = NULL;
  os_queue_stop();
  keys_clear();
  os_self_now = NULL;
  return THREADS_OK;
}

static unsigned features(void) {
  const struct os_settings *const settings = os_queue_settings();
  unsigned all = THREADS_BLOCKED_HOLDS_OS_THREAD | THREADS_COUNTS;
  if (settings->parents_help) all |= THREADS_PARENT_RUNS_CHILDREN;
  if (settings->idle_yields) all |= THREADS_IDLE_SPINS;
  if (settings->limit != 0) all |= THREADS_LIMITED;
  if (settings->caller_outside) all |= THREADS_CALLER_OUTSIDE;
  return all;
}

static unsigned worker_count(void) { return os_queue_settings()->workers; }

static threads_status counts(threads_count *out) {
  os_queue_counts(out);
  return THREADS_OK;
}

#define OS_COMPONENT(its_name, its_start) \
  {.version = THREADS_COMPONENT_VERSION,  \
   .size = sizeof(threads_component),     \
   .name = its_name,                      \
   .start = its_start,                    \
   .stop = stop,                          \
   .features = features,                  \
   .worker_count = worker_count,          \
   .counts = counts,                      \
   THREADS_COMPONENT_CALLS}

const threads_component threads_component_fifo = OS_COMPONENT("fifo", start_fifo);
const threads_component threads_component_pool = OS_COMPONENT("pool", start_pool);
