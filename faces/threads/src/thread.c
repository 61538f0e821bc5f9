/* Threads: calls through the table. */
#include <weft_threads/threads.h>

#include "builtin.h"

threads_status threads_create(threads_function function, void *argument, threads_thread **out) {
  return threads_component_now->create(function, argument, out);
}

threads_status threads_join(threads_thread *thread) { return threads_component_now->join(thread); }

uint64_t threads_self_id(void) { return threads_component_now->self_id(); }

bool threads_self_compare(const threads_thread *thread) { return threads_component_now->self_compare(thread); }

void threads_yield(void) { threads_component_now->yield(); }

threads_status threads_sleep_ns(uint64_t interval_ns) { return threads_component_now->sleep_ns(interval_ns); }
