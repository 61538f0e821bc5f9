/* A module with an implementation that runs each thread when it is made; or, as MODULE_VERSION says, one of another version. */
#include <weft_threads/component.h>

static threads_status start(const threads_config *config) {
  (void)config;
  return THREADS_OK;
}
static threads_status stop(void) { return THREADS_OK; }
static unsigned no_features(void) { return 0; }
static unsigned one_worker(void) { return 1; }
static uint64_t same_id(void) { return 1; }

static threads_status create(threads_function function, void *argument, threads_thread **out) {
  static char thread;
  function(argument);
  *out = (threads_thread *)(void *)&thread;
  return THREADS_OK;
}

static threads_status join(threads_thread *thread) { return thread != NULL ? THREADS_OK : THREADS_INVALID; }

THREADS_API const threads_component weft_threads_component = {
    .version = MODULE_VERSION,
    .size = sizeof(threads_component),
    .name = "mine",
    .start = start,
    .stop = stop,
    .features = no_features,
    .worker_count = one_worker,
    .self_id = same_id,
    .create = create,
    .join = join,
};
