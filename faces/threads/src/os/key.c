/* Values of tasks: an OS thread runs many. */
#include <weft_threads/detail/fail.h>
#include <weft_threads/os/key.h>

#include "../keys.h"
#include "engine.h"

threads_status threads_os_key_create(void (*destructor)(void *value), threads_key *out) { return keys_create(destructor, out); }
threads_status threads_os_key_delete(threads_key key) { return keys_delete(key); }

threads_status threads_os_key_set(threads_key key, void *value) {
  if (!key_is_living(key)) return threads_fail(THREADS_INVALID, "threads_key_set", "key", "there is no key %u", key.opaque[0]);
  struct os_self *const self = os_self_now;
  if (self == NULL)
    return threads_fail(THREADS_UNSUPPORTED, "threads_key_set", NULL, "the caller is no thread of this interface", 0);
  if (self->values == NULL) self->values = key_values_new();
  if (self->values == NULL) return threads_fail_without_memory("threads_key_set");
  key_values_set(self->values, key, value);
  return THREADS_OK;
}

void *threads_os_key_get(threads_key key) { return os_self_now != NULL ? key_values_get(os_self_now->values, key) : NULL; }
