/* A module with an implementation that runs tasks when a caller waits for them; or, as
 * MODULE_VERSION says, one of another version. */
#include <weft_threads/component.h>

static threads_status start(const threads_config *config) {
  (void)config;
  return THREADS_OK;
}
static threads_status stop(void) { return THREADS_OK; }
static unsigned no_features(void) { return 0; }
static unsigned one_worker(void) { return 1; }
static uint64_t same_id(void) { return 1; }

static threads_status sleep_ns(uint64_t interval_ns) {
  (void)interval_ns;
  return THREADS_OK;
}

static threads_status list_wait(threads_list *list) {
  threads_task *const tasks = list->tasks != NULL ? list->tasks : list->inside;
  for (size_t i = 0; i < list->count; ++i) tasks[i].function(tasks[i].argument);
  list->count = 0;
  return THREADS_OK;
}

THREADS_API const threads_component weft_threads_component = {
    .version = MODULE_VERSION,
    .size = sizeof(threads_component),
    .name = "mine",
    .start = start,
    .stop = stop,
    .features = no_features,
    .worker_count = one_worker,
    .self_id = same_id,
    .sleep_ns = sleep_ns,
    .list_wait = list_wait,
};
