/* Keys: a table of them, and an array of values for each task that sets one. */
#include "engine.h"

#include <stdlib.h>
#include <string.h>

#include <weft_threads/os/key.h>

enum { most_keys = 128, most_rounds = 4 };

/* generation: atomic; even while there is no such key. The rest, and changes of it, belong to the mutex. */
struct os_key {
  uint64_t generation;
  void (*destructor)(void *value);
};

struct os_value {
  uint64_t generation; /* of the key that it was set for */
  void *value;
};

struct os_values {
  struct os_value of[most_keys];
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct os_key keys[most_keys];

static bool is_living(threads_key key) {
  return key.opaque[0] < most_keys && key.opaque[1] % 2 == 1 &&
         __atomic_load_n(&keys[key.opaque[0]].generation, __ATOMIC_RELAXED) == key.opaque[1];
}

static void next_generation(struct os_key *key) { __atomic_fetch_add(&key->generation, 1, __ATOMIC_RELAXED); }

threads_status threads_os_key_create(void (*destructor)(void *value), threads_key *out) {
  if (out == NULL) return THREADS_INVALID;
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
  return status;
}

threads_status threads_os_key_delete(threads_key key) {
  pthread_mutex_lock(&mutex);
  const bool was_living = is_living(key);
  if (was_living) next_generation(&keys[key.opaque[0]]);
  pthread_mutex_unlock(&mutex);
  return was_living ? THREADS_OK : THREADS_INVALID;
}

threads_status threads_os_key_set(threads_key key, void *value) {
  if (!is_living(key)) return THREADS_INVALID;
  struct os_self *const self = os_self_now;
  if (self == NULL) return THREADS_UNSUPPORTED;
  if (self->values == NULL) self->values = calloc(1, sizeof *self->values);
  if (self->values == NULL) return THREADS_NOMEM;
  self->values->of[key.opaque[0]] = (struct os_value){key.opaque[1], value};
  return THREADS_OK;
}

void *threads_os_key_get(threads_key key) {
  const struct os_self *const self = os_self_now;
  if (self == NULL || self->values == NULL || !is_living(key)) return NULL;
  const struct os_value *const its = &self->values->of[key.opaque[0]];
  return its->generation == key.opaque[1] ? its->value : NULL;
}

/* Takes a value that has a destructor; null: there is none in this place. */
static void (*take_value(struct os_value *its, size_t index, void **value))(void *) {
  void (*destructor)(void *) = NULL;
  pthread_mutex_lock(&mutex);
  if (keys[index].generation == its->generation) destructor = keys[index].destructor;
  pthread_mutex_unlock(&mutex);
  *value = its->value;
  its->value = NULL;
  return destructor;
}

static bool destroy_values(struct os_values *values) {
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

void os_values_end(struct os_self *self) {
  for (int round = 0; round < most_rounds && destroy_values(self->values); ++round) {
  } /* a destructor may set values */
  free(self->values);
  self->values = NULL;
}

void os_keys_clear(void) {
  pthread_mutex_lock(&mutex);
  for (size_t i = 0; i < most_keys; ++i) {
    if (keys[i].generation % 2 == 1) next_generation(&keys[i]);
  }
  pthread_mutex_unlock(&mutex);
}
