/* What fifo and pool read from the configuration and the environment. */
#include <limits.h>
#include <string.h>

#include "../environment.h"
#include "engine.h"

enum { most_os_threads = 1 << 20 };

/* Both read all: a variable that cannot be used is named whichever is chosen. */
static bool read_variables(struct os_settings *out) {
  static const char *const ways_to_idle[] = {"sleep", "yield", NULL};
  unsigned way_to_idle = 0;
  bool is_good = read_number("WEFT_THREADS_LIMIT", 0, most_os_threads, &out->limit);
  is_good = read_choice("WEFT_THREADS_IDLE", ways_to_idle, &way_to_idle) && is_good;
  out->idle_yields = way_to_idle == 1;
  return is_good;
}

threads_status os_read_settings(const char *name, const threads_config *config, struct os_settings *out) {
  unsigned workers = config->workers;
  if (workers == 0) {
    workers = allowed_cpus();
  } else if (workers > most_os_threads) {
    report_error("%s: %u workers: at most %d", name, workers, most_os_threads);
    return THREADS_INVALID;
  }
  const bool is_pool = strcmp(name, "pool") == 0;
  struct os_settings settings = {.workers = workers, .parents_help = is_pool, .caller_outside = config->caller_outside};
  settings.limit =
      is_pool ? workers - (!config->caller_outside && workers > 1) : 0; /* an adopted caller works too, while it waits */
  settings.stack_bytes = config->stack_bytes;
  if (!read_variables(&settings)) return THREADS_INVALID;
  const size_t least = (size_t)PTHREAD_STACK_MIN; /* asks the system */
  if (settings.stack_bytes != 0 && settings.stack_bytes < least) settings.stack_bytes = least;
  *out = settings;
  return THREADS_OK;
}
