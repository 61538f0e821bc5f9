/* Thread-specific keys: values, destructors, refusals. */
#include <pthread.h>
#include <string.h>

#include "check.h"

enum { MOST = 1024 };

static weft_key key, second_key;
static atomic_int destroyed;

static void count_destroyed(void *value) {
  CHECK(weft_key_get(key) == NULL); /* before its destructor is called, a value is taken away */
  atomic_fetch_add(&destroyed, *(int *)value);
}

/* ---- values ---- */

struct owner {
  int number;
  atomic_int is_done;
};

static void keep_own_value(void *argument) {
  struct owner *self = argument;
  CHECK(weft_key_get(key) == NULL);
  OK(weft_key_set(key, &self->number));
  for (int i = 0; i < 10; ++i) {
    CHECK(weft_key_get(key) == &self->number);
    if (!weft_thread_is_tasklet(weft_self())) weft_yield();
  }
  atomic_store(&self->is_done, 1);
}

static void *keep_own_value_outside(void *argument) {
  keep_own_value(argument);
  return NULL;
}

static void each_has_its_own(void) {
  OK(weft_key_create(NULL, &key));
  struct owner owners[60];
  weft_thread *threads[60];
  for (int i = 0; i < 60; ++i) {
    owners[i] = (struct owner){i, 0};
    if (i % 3 == 0) {
      OK(weft_tasklet_create(keep_own_value, &owners[i], NULL, &threads[i]));
    } else {
      threads[i] = start(keep_own_value, &owners[i]);
    }
  }
  OK(weft_thread_join_many(threads, 60));
  CHECK(weft_key_get(key) == NULL);
  struct owner outsider = {7, 0};
  pthread_t other;
  CHECK(pthread_create(&other, NULL, keep_own_value_outside, &outsider) == 0);
  wait_for(&outsider.is_done, 1);
  CHECK(pthread_join(other, NULL) == 0);
  OK(weft_key_set(key, &outsider));
  CHECK(weft_key_get(key) == &outsider);
  OK(weft_key_set(key, NULL));
  CHECK(weft_key_get(key) == NULL);
  OK(weft_key_delete(key));
}

/* A descriptor is used again; values are not found there. */
static void set_value(void *argument) {
  CHECK(weft_key_get(key) == NULL);
  OK(weft_key_set(key, argument));
}

static void values_do_not_stay(void) {
  OK(weft_key_create(NULL, &key));
  int value = 0;
  for (int round = 0; round < 500; ++round) OK(weft_thread_join(start(set_value, &value)));
  OK(weft_key_delete(key));
}

/* ---- destructors ---- */

static void destructors_run(void) {
  OK(weft_key_create(count_destroyed, &key));
  atomic_store(&destroyed, 0);
  struct owner owners[60];
  weft_thread *threads[60];
  for (int i = 0; i < 60; ++i) {
    owners[i] = (struct owner){1, 0};
    weft_thread_attr attr = WEFT_THREAD_ATTR_INIT;
    if (i % 3 == 1) attr.stack_bytes = 40000;
    if (i % 3 == 0) {
      OK(weft_tasklet_create(keep_own_value, &owners[i], NULL, &threads[i]));
    } else {
      OK(weft_thread_create(keep_own_value, &owners[i], &attr, &threads[i]));
    }
  }
  OK(weft_thread_join_many(threads, 60));
  CHECK(atomic_load(&destroyed) == 60); /* before the joins return */

  struct owner outsider = {1, 0};
  pthread_t other;
  CHECK(pthread_create(&other, NULL, keep_own_value_outside, &outsider) == 0);
  wait_for(&outsider.is_done, 1);
  CHECK(pthread_join(other, NULL) == 0);
  CHECK(atomic_load(&destroyed) == 61);
  OK(weft_key_delete(key));
}

/* One joined from a thread may run on that thread's stack. */
static void join_an_owner(void *argument) {
  OK(weft_thread_join(start(keep_own_value, argument)));
  CHECK(weft_key_get(key) == NULL);
  CHECK(atomic_load(&destroyed) == 1);
}

static void destructors_run_on_borrowed_stacks(void) {
  OK(weft_key_create(count_destroyed, &key));
  atomic_store(&destroyed, 0);
  struct owner owner = {1, 0};
  OK(weft_thread_join(start(join_an_owner, &owner)));
  CHECK(atomic_load(&destroyed) == 1);
  OK(weft_key_delete(key));
}

static atomic_int rounds;
static weft_thread *who;

static void set_again(void *value) {
  CHECK(weft_self() == who); /* on that thread */
  atomic_fetch_add(&rounds, 1);
  OK(weft_key_set(key, value));
}

static void set_the_other(void *value) {
  OK(weft_key_set(key, value)); /* whose destructor then runs in the next round, if it was looked at already */
  weft_yield();                 /* a destructor may switch */
}

static void set_both(void *argument) {
  who = weft_self();
  OK(weft_key_set(key, argument));
  OK(weft_key_set(second_key, argument));
}

static void rounds_have_an_end(void) {
  int value = 1;
  OK(weft_key_create(set_again, &key));
  OK(weft_key_create(NULL, &second_key));
  atomic_store(&rounds, 0);
  OK(weft_thread_join(start(set_both, &value)));
  CHECK(atomic_load(&rounds) == 4);
  OK(weft_key_delete(key));
  OK(weft_key_delete(second_key));

  OK(weft_key_create(count_destroyed, &key));
  OK(weft_key_create(set_the_other, &second_key));
  atomic_store(&destroyed, 0);
  OK(weft_thread_join(start(set_both, &value)));
  CHECK(atomic_load(&destroyed) == 2);
  OK(weft_key_delete(key));
  OK(weft_key_delete(second_key));
}

static void deleted_keys_have_no_destructors(void) {
  struct owner owner = {1, 0};
  atomic_store(&destroyed, 0);
  OK(weft_key_create(count_destroyed, &key));
  OK(weft_key_set(key, &owner.number));
  const weft_key old = key;
  OK(weft_key_delete(key));
  CHECK(weft_key_get(old) == NULL);
  OK(weft_key_create(count_destroyed, &key)); /* perhaps in the same place */
  CHECK(weft_key_get(key) == NULL);
  CHECK(weft_key_get(old) == NULL);
  IS(WEFT_INVALID, weft_key_set(old, &owner));
  IS(WEFT_INVALID, weft_key_delete(old));
  OK(weft_key_delete(key));
  CHECK(atomic_load(&destroyed) == 0);
}

/* ---- places that were never set ---- */

enum { FAR = 40 };
static weft_key far_keys[FAR];

static void set_the_farthest(void *value) {
  OK(weft_key_set(far_keys[FAR - 1], value));
  for (int i = 0; i < FAR - 1; ++i) CHECK(weft_key_get(far_keys[i]) == NULL);
}

/* A table of values that grows comes from memory that held something else: here what looks like
 * values of these very keys. */
static void unset_places_are_empty(void) {
  struct looks_like_a_value {
    void *value;
    uint32_t generation;
  };
  int value = 1;
  for (int i = 0; i < FAR; ++i) OK(weft_key_create(NULL, &far_keys[i]));
  void *freed[64];
  for (int size = FAR - 10; size <= FAR + 30; ++size) {
    for (int i = 0; i < 64; ++i) {
      struct looks_like_a_value *const all = malloc((size_t)size * sizeof *all);
      CHECK(all != NULL);
      for (int at = 0; at < size; ++at) all[at] = (struct looks_like_a_value){&value, far_keys[at % FAR].generation};
      freed[i] = all;
    }
    for (int i = 0; i < 64; ++i) free(freed[i]);
  }
  for (int round = 0; round < 4; ++round) OK(weft_thread_join(start(set_the_farthest, &value)));
  for (int i = 0; i < FAR; ++i) OK(weft_key_delete(far_keys[i]));
}

/* ---- refusals ---- */

static void many_keys(void) {
  static weft_key keys[MOST];
  int values[2];
  for (int i = 0; i < MOST; ++i) OK(weft_key_create(NULL, &keys[i]));
  weft_key untouched = {12345, 678};
  IS(WEFT_AGAIN, weft_key_create(NULL, &untouched));
  CHECK(untouched.index == 12345 && untouched.generation == 678);
  for (int i = 0; i < MOST; ++i) OK(weft_key_set(keys[i], &values[i % 2]));
  for (int i = 0; i < MOST; ++i) CHECK(weft_key_get(keys[i]) == &values[i % 2]);
  OK(weft_key_delete(keys[500]));
  OK(weft_key_create(NULL, &keys[500]));
  CHECK(weft_key_get(keys[500]) == NULL);
  for (int i = 0; i < MOST; ++i) OK(weft_key_delete(keys[i]));
}

static void refuses(void) {
  const weft_key zero = {0, 0}, far = {MOST, 1}, farther = {UINT32_MAX, 1};
  IS(WEFT_INVALID, weft_key_create(NULL, NULL));
  const weft_key none[] = {zero, far, farther};
  for (int i = 0; i < 3; ++i) {
    IS(WEFT_INVALID, weft_key_set(none[i], &key));
    IS(WEFT_INVALID, weft_key_delete(none[i]));
    CHECK(weft_key_get(none[i]) == NULL);
  }
}

static void all(void) {
  RUN(each_has_its_own);
  RUN(values_do_not_stay);
  RUN(destructors_run);
  RUN(destructors_run_on_borrowed_stacks);
  RUN(rounds_have_an_end);
  RUN(deleted_keys_have_no_destructors);
  RUN(unset_places_are_empty);
  RUN(many_keys);
  RUN(refuses);
}

/* Also the main thread's values are destroyed: with the runtime, on that thread. */
static void set_in_main(void) {
  static int value = 1;
  atomic_store(&destroyed, 0);
  OK(weft_key_create(count_destroyed, &key));
  OK(weft_key_set(key, &value));
}

int main(void) {
  refuses();
  with_workers("one worker", 1, all);
  with_workers("four workers", 4, all);
  with_workers("main's values", 2, set_in_main);
  CHECK(atomic_load(&destroyed) == 1);
  OK(weft_key_delete(key));
  return 0;
}
