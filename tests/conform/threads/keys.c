/* Thread-specific keys. */
#include "check.h"

enum { at_least = 32 };

static threads_key key;
static atomic_int destroyed;

static void destroy(void *value) { atomic_fetch_add(&destroyed, *(int *)value); }

static void keep_own_value(void *value) {
  CHECK(threads_key_get(key) == NULL);
  OK(threads_key_set(key, value));
  for (int i = 0; i < 10; ++i) {
    threads_yield();
    CHECK(threads_key_get(key) == value);
  }
}

static void each_thread_has_its_own_value_and_destroys_it(void) {
  int values[3] = {1, 10, 100};
  threads_thread *threads[3];
  atomic_store(&destroyed, 0);
  OK(threads_key_create(destroy, &key));
  for (int i = 0; i < 3; ++i) threads[i] = start(keep_own_value, &values[i]);
  for (int i = 0; i < 3; ++i) OK(threads_join(threads[i]));
  CHECK(atomic_load(&destroyed) == 111);
  threads_list list = THREADS_LIST_INIT;
  OK(threads_list_add_many(&list, keep_own_value, values, sizeof *values, 3));
  OK(threads_list_wait(&list));
  CHECK(atomic_load(&destroyed) == 222);
  OK(threads_key_delete(key));
}

static void clear_own_value(void *value) {
  OK(threads_key_set(key, value));
  OK(threads_key_set(key, NULL));
  CHECK(threads_key_get(key) == NULL);
}

static void what_was_cleared_is_not_destroyed(void) {
  int value = 1;
  atomic_store(&destroyed, 0);
  OK(threads_key_create(destroy, &key));
  OK(threads_join(start(clear_own_value, &value)));
  CHECK(atomic_load(&destroyed) == 0);
  OK(threads_key_delete(key));
}

static void fill_keys(void *keys) {
  int values[at_least];
  for (int i = 0; i < at_least; ++i) OK(threads_key_set(((threads_key *)keys)[i], &values[i]));
  for (int i = 0; i < at_least; ++i) CHECK(threads_key_get(((threads_key *)keys)[i]) == &values[i]);
}

static void there_are_enough_keys(void) {
  threads_key keys[at_least];
  for (int i = 0; i < at_least; ++i) OK(threads_key_create(NULL, &keys[i]));
  OK(threads_join(start(fill_keys, keys)));
  for (int i = 0; i < at_least; ++i) OK(threads_key_delete(keys[i]));
}

static void use_keys_that_are_gone(void *unused) {
  (void)unused;
  int value = 0;
  threads_key old;
  OK(threads_key_create(NULL, &old));
  OK(threads_key_set(old, &value));
  OK(threads_key_delete(old));
  CHECK(threads_key_get(old) == NULL);
  IS(THREADS_INVALID, threads_key_set(old, &value));
  IS(THREADS_INVALID, threads_key_delete(old));
  OK(threads_key_create(NULL, &key)); /* in the same place */
  CHECK(threads_key_get(key) == NULL && threads_key_get(old) == NULL);
  OK(threads_key_delete(key));
}

static void keys_that_are_gone(void) {
  IS(THREADS_INVALID, threads_key_create(NULL, NULL));
  OK(threads_join(start(use_keys_that_are_gone, NULL)));
}

static void the_caller_has_values_too(void) {
  if (is_outside) return; /* implementations differ there */
  int value = 0;
  OK(threads_key_create(NULL, &key));
  CHECK(threads_key_get(key) == NULL);
  OK(threads_key_set(key, &value));
  OK(threads_join(start(keep_own_value, &value)));
  CHECK(threads_key_get(key) == &value);
  OK(threads_key_delete(key));
}

void check_keys(void) {
  RUN(each_thread_has_its_own_value_and_destroys_it);
  RUN(what_was_cleared_is_not_destroyed);
  RUN(there_are_enough_keys);
  RUN(keys_that_are_gone);
  RUN(the_caller_has_values_too);
}
