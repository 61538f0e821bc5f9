/* Keys on libweft, which would outlast the runtime: those that were made here end with it. */
#include "keys.h"

#include <pthread.h>

#include <weft_threads/weft/functions.h>

enum { most_keys = 1024 }; /* of libweft */

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static weft_key made[most_keys]; /* at its index; generation 0: none was made there */

threads_status threads_weft_key_create(void (*destructor)(void *value), threads_key *out) {
  weft_key key = {0, 0};
  const weft_status status = weft_key_create(destructor, &key);
  if (status != WEFT_OK) return threads_of_weft(status);
  pthread_mutex_lock(&mutex);
  if (key.index < most_keys) made[key.index] = key;
  pthread_mutex_unlock(&mutex);
  out->opaque[0] = key.index;
  out->opaque[1] = key.generation;
  return THREADS_OK;
}

threads_status threads_weft_key_delete(threads_key key) {
  const weft_key its = threads_weft_key(key);
  const weft_status status = weft_key_delete(its);
  if (status != WEFT_OK) return threads_of_weft(status);
  pthread_mutex_lock(&mutex);
  if (its.index < most_keys && made[its.index].generation == its.generation) made[its.index].generation = 0;
  pthread_mutex_unlock(&mutex);
  return THREADS_OK;
}

void weft_keys_end(void) {
  pthread_mutex_lock(&mutex);
  for (int i = 0; i < most_keys; ++i) {
    if (made[i].generation == 0) continue;
    const weft_status gone = weft_key_delete(made[i]);
    (void)gone;
    made[i].generation = 0;
  }
  pthread_mutex_unlock(&mutex);
}
