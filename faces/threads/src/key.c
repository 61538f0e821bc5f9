/* Keys: calls through the table. */
#include <weft_threads/threads.h>

#include "builtin.h"

threads_status threads_key_create(void (*destructor)(void *value), threads_key *out) {
  return threads_component_now->key_create(destructor, out);
}

threads_status threads_key_delete(threads_key key) { return threads_component_now->key_delete(key); }

threads_status threads_key_set(threads_key key, void *value) { return threads_component_now->key_set(key, value); }

void *threads_key_get(threads_key key) { return threads_component_now->key_get(key); }
