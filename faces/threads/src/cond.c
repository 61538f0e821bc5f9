/* Conditions: calls through the table. */
#include <weft_threads/threads.h>

#include "builtin.h"

threads_status threads_cond_wait(threads_cond *cond, threads_mutex *mutex) {
  return threads_component_now->cond_wait(cond, mutex);
}

threads_status threads_cond_wait_until(threads_cond *cond, threads_mutex *mutex, uint64_t deadline_ns) {
  return threads_component_now->cond_wait_until(cond, mutex, deadline_ns);
}

threads_status threads_cond_signal(threads_cond *cond) { return threads_component_now->cond_signal(cond); }

threads_status threads_cond_broadcast(threads_cond *cond) { return threads_component_now->cond_broadcast(cond); }

threads_status threads_cond_destroy(threads_cond *cond) { return threads_component_now->cond_destroy(cond); }
