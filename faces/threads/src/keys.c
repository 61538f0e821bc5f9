/* Keys: see keys.h. */
#include "keys.h"

#include <pthread.h>
#include <stdlib.h>

#include <weft_threads/detail/fail.h>

enum { most_keys = 128, most_rounds = 4 };

/* generation: atomic; even while there is no such key. The rest, and changes of it, belong to
 * the mutex. */
struct key {
  uint64_t generation;
  void (*destructor)(void *value);
};

struct key_value {
  uint64_t generation; /* of the key that it was set for */
  void *value;
};

struct key_values {
  struct key_value of[most_keys];
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct key keys[most_keys];

bool key_is_living(threads_key key) {
  return key.opaque[0] < most_keys && key.opaque[1] % 2 == 1 &&
         __atomic_load_n(&keys[key.opaque[0]].generation, __ATOMIC_RELAXED) == key.opaque[1];
}

static void next_generation(struct key *key) { __atomic_fetch_add(&key->generation, 1, __ATOMIC_RELAXED); }

threads_status keys_create(void (*destructor)(void *value), threads_key *out) {
  if (out == NULL) return threads_fail_on_null("threads_key_create", "out");
  threads_status status = THREADS_AGAIN;
  pthread_mutex_lock(&mutex);
  for (size_t i = 0; i < most_keys && status != THREADS_OK; ++i) {
    if (keys[i].generation % 2 == 1) continue;
    next_generation(&keys[i]);
    keys[i].destructor = destructor;
    out->opaque[0] = i;
    out->opaque[1] = keys[i].generation;
    status = THREADS_OK;
  }
  pthread_mutex_unlock(&mutex);
  if (status == THREADS_OK) return status;
  return threads_fail(status, "threads_key_create", NULL, "there are %u keys, which are all that are possible", most_keys);
}

threads_status keys_delete(threads_key key) {
  pthread_mutex_lock(&mutex);
  const bool was_living = key_is_living(key);
  if (was_living) next_generation(&keys[key.opaque[0]]);
  pthread_mutex_unlock(&mutex);
  return was_living ? THREADS_OK
                    : threads_fail(THREADS_INVALID, "threads_key_delete", "key", "there is no key %u", key.opaque[0]);
}

struct key_values *key_values_new(void) { return calloc(1, sizeof(struct key_values)); }

void key_values_set(struct key_values *values, threads_key key, void *value) {
  values->of[key.opaque[0]] = (struct key_value){key.opaque[1], value};
}

void *key_values_get(const struct key_values *values, threads_key key) {
  if (values == NULL || !key_is_living(key)) return NULL;
  const struct key_value *const its = &values->of[key.opaque[0]];
  return its->generation == key.opaque[1] ? its->value : NULL;
}

/* Takes a value that has a destructor; null: there is none in this place. */
static void (*take_value(struct key_value *its, size_t index, void **value))(void *) {
  void (*destructor)(void *) = NULL;
  pthread_mutex_lock(&mutex);
  if (keys[index].generation == its->generation) destructor = keys[index].destructor;
  pthread_mutex_unlock(&mutex);
  *value = its->value;
  its->value = NULL;
  return destructor;
}

static bool destroy_values(struct key_values *values) {
  bool has_found_some = false;
  for (size_t i = 0; i < most_keys; ++i) {
    if (values->of[i].value == NULL) continue;
    void *value = NULL;
    void (*const destructor)(void *) = take_value(&values->of[i], i, &value);
    if (destructor == NULL) continue;
    destructor(value);
    has_found_some = true;
  }
  return has_found_some;
}

void key_values_end(struct key_values *values) {
  for (int round = 0; round < most_rounds && destroy_values(values); ++round) {
  } /* a destructor may set values */
  free(values);
}

void keys_clear(void) {
  pthread_mutex_lock(&mutex);
  for (size_t i = 0; i < most_keys; ++i) {
    if (keys[i].generation % 2 == 1) next_generation(&keys[i]);
  }
  pthread_mutex_unlock(&mutex);
}
