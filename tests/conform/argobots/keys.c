/* Values of work units by key. */
#include "check.h"

enum { MANY = 100 };

static atomic_int destroyed;
static void count_destroyed(void *value) {
  CHECK(value != NULL);
  atomic_fetch_add(&destroyed, 1);
}

static ABT_key key;

static void set_mine(void *value) {
  void *before = &key;
  OK(ABT_key_get(key, &before));
  CHECK(before == NULL);
  OK(ABT_key_set(key, value));
  breathe();
  void *now = NULL;
  OK(ABT_self_get_specific(key, &now));
  CHECK(now == value);
}

/* The destructor of a named unit's value runs when the unit is freed; that of an unnamed one
 * when it ends. */
static void destructors(void) {
  int values[4];
  atomic_store(&destroyed, 0);
  OK(ABT_key_create(count_destroyed, &key));
  ABT_thread thread = start(my_pool(), set_mine, &values[0]);
  OK(ABT_thread_join(thread));
  CHECK(atomic_load(&destroyed) == 0);
  void *value = NULL;
  OK(ABT_thread_get_specific(thread, key, &value));
  CHECK(value == &values[0]);
  end(thread);
  CHECK(atomic_load(&destroyed) == 1);

  ABT_task task = ABT_TASK_NULL;
  OK(ABT_task_create(my_pool(), set_mine, &values[1], &task));
  OK(ABT_task_free(&task));
  CHECK(atomic_load(&destroyed) == 2);

  OK(ABT_thread_create(my_pool(), set_mine, &values[2], ABT_THREAD_ATTR_NULL, NULL));
  OK(ABT_task_create(my_pool(), set_mine, &values[3], NULL));
  wait_for(&destroyed, 4);

  thread = start(my_pool(), set_mine, NULL);
  end(thread);
  CHECK(atomic_load(&destroyed) == 4); /* null is no value */
  OK(ABT_key_free(&key));
  CHECK(key == ABT_KEY_NULL);
}

/* A key that is gone leaves its values with the units. */
static void freed_key(void) {
  int value;
  atomic_store(&destroyed, 0);
  OK(ABT_key_create(count_destroyed, &key));
  ABT_thread thread = start(my_pool(), set_mine, &value);
  OK(ABT_thread_join(thread));
  OK(ABT_key_free(&key));
  OK(ABT_key_create(NULL, &key));
  void *found = &value;
  OK(ABT_thread_get_specific(thread, key, &found));
  CHECK(found == NULL);
  OK(ABT_key_free(&key));
  end(thread);
  CHECK(atomic_load(&destroyed) == 1);
}

static void look(void *wanted) {
  void *value = NULL;
  OK(ABT_key_get(key, &value));
  CHECK(value == wanted);
}

static void kept_by_revival(void) {
  int value;
  OK(ABT_key_create(NULL, &key));
  ABT_thread thread = start(my_pool(), set_mine, &value);
  OK(ABT_thread_join(thread));
  OK(ABT_thread_revive(my_pool(), look, &value, &thread));
  end(thread);
  OK(ABT_key_free(&key));
}

/* ---- many keys, and many that set them ---- */

static ABT_key keys[MANY];

static void set_many(void *argument) {
  char *values = argument;
  for (int i = 0; i < MANY; ++i) OK(ABT_key_set(keys[i], values + i));
  breathe();
  for (int i = 0; i < MANY; ++i) {
    void *value = NULL;
    OK(ABT_key_get(keys[i], &value));
    CHECK(value == values + i);
    OK(ABT_key_set(keys[i], values + MANY - i));
  }
  for (int i = 0; i < MANY; ++i) {
    void *value = NULL;
    OK(ABT_key_get(keys[i], &value));
    CHECK(value == values + MANY - i);
  }
}

struct shares {
  ABT_thread thread;
  char *values;
  int first;
};

static void *set_share(void *argument) {
  struct shares *mine = argument;
  for (int i = mine->first; i < MANY; i += 2) OK(ABT_thread_set_specific(mine->thread, keys[i], mine->values + i));
  /* All set this one. */
  OK(ABT_thread_set_specific(mine->thread, keys[0], mine->values));
  return NULL;
}

static void check_shares(void *argument) {
  char *values = argument;
  for (int i = 0; i < MANY; ++i) {
    void *value = NULL;
    OK(ABT_key_get(keys[i], &value));
    CHECK(value == values + i);
  }
}

static void many(void) {
  static char values[MANY + 1];
  for (int i = 0; i < MANY; ++i) OK(ABT_key_create(i == 0 ? NULL : count_destroyed, &keys[i]));
  atomic_store(&destroyed, 0);
  end(start(my_pool(), set_many, values));
  CHECK(atomic_load(&destroyed) == MANY - 1);
  /* OS threads outside set them for a unit that has not started. */
  ABT_thread thread = start(my_pool(), check_shares, values);
  struct shares shares[2] = {{thread, values, 0}, {thread, values, 1}};
  pthread_t setters[2];
  for (int i = 0; i < 2; ++i) CHECK(pthread_create(&setters[i], NULL, set_share, &shares[i]) == 0);
  for (int i = 0; i < 2; ++i) CHECK(pthread_join(setters[i], NULL) == 0);
  end(thread);
  CHECK(atomic_load(&destroyed) == 2 * (MANY - 1));
  for (int i = 0; i < MANY; ++i) OK(ABT_key_free(&keys[i]));
}

/* ---- outside ---- */

static void not_outside(void *unused) {
  (void)unused;
  void *value = &key;
  IS(ABT_ERR_INV_XSTREAM, ABT_key_set(key, &value));
  IS(ABT_ERR_INV_XSTREAM, ABT_key_get(key, &value));
  IS(ABT_ERR_INV_XSTREAM, ABT_self_set_specific(key, &value));
  IS(ABT_ERR_INV_XSTREAM, ABT_self_get_specific(key, &value));
  CHECK(value == &key);
}

static void outside(void) {
  OK(ABT_key_create(NULL, &key));
  run_outside(not_outside, NULL);
  OK(ABT_key_free(&key));
}

/* ---- destructors that set values ---- */

static void set_again(void *value) {
  atomic_int *rounds = value;
  if (atomic_fetch_add(rounds, 1) < 2) OK(ABT_key_set(key, rounds));
}

/* An unnamed unit's destructors are its own last calls. */
static void set_by_destructors(void) {
  atomic_int rounds = 0;
  OK(ABT_key_create(set_again, &key));
  OK(ABT_thread_create(my_pool(), set_mine, &rounds, ABT_THREAD_ATTR_NULL, NULL));
  wait_for(&rounds, 3);
  OK(ABT_key_free(&key));
}

/* ---- destructors that free other keys' values, or replace them ---- */

enum { owners = 3 }; /* of whose values the first to go frees the others' */

static ABT_key owned_by[owners];
static ABT_thread owner; /* or null: the caller */
static int texts[owners], replacements[owners];
static bool replaces;

static void *value_of(int which) {
  void *value = NULL;
  OK(owner != ABT_THREAD_NULL ? ABT_thread_get_specific(owner, owned_by[which], &value) : ABT_key_get(owned_by[which], &value));
  return value;
}

static void set_value_of(int which, void *value) {
  OK(owner != ABT_THREAD_NULL ? ABT_thread_set_specific(owner, owned_by[which], value) : ABT_key_set(owned_by[which], value));
}

static void destroy_all(void *value) {
  CHECK(++*(int *)value == 1);
  for (int i = 0; i < owners; ++i) {
    int *const its = value_of(i);
    CHECK(its != value);
    if (its == NULL || its == &replacements[i]) continue;
    CHECK(++*its == 1);
    set_value_of(i, replaces ? &replacements[i] : NULL);
  }
  atomic_fetch_add(&destroyed, 1);
}

static void own_texts(void *unused) {
  (void)unused;
  for (int i = 0; i < owners; ++i) OK(ABT_key_set(owned_by[i], &texts[i]));
}

static void destroyed_once(bool is_named) {
  for (int i = 0; i < owners; ++i) texts[i] = replacements[i] = 0;
  atomic_store(&destroyed, 0);
  owner = is_named ? start(my_pool(), own_texts, NULL) : ABT_THREAD_NULL;
  if (is_named) {
    ABT_thread ended = owner;
    OK(ABT_thread_free(&ended));
  } else {
    OK(ABT_thread_create(my_pool(), own_texts, NULL, ABT_THREAD_ATTR_NULL, NULL));
    wait_for(&destroyed, replaces ? owners : 1);
  }
  CHECK(atomic_load(&destroyed) == (replaces ? owners : 1));
  for (int i = 0; i < owners; ++i) CHECK(texts[i] == 1);
  for (int i = 1; i < owners; ++i) CHECK(replacements[i] == replaces);
  CHECK(replacements[0] == 0);
}

static void destructors_of_others(void) {
  for (int i = 0; i < owners; ++i) OK(ABT_key_create(destroy_all, &owned_by[i]));
  for (int i = 0; i < 4; ++i) {
    replaces = i / 2 == 1;
    destroyed_once(i % 2 == 1);
  }
  for (int i = 0; i < owners; ++i) OK(ABT_key_free(&owned_by[i]));
}

void check_keys(void) {
  RUN(destructors);
  RUN(freed_key);
  RUN(kept_by_revival);
  RUN(many);
  RUN(outside);
  if (IS_WEFT) RUN(set_by_destructors);
  if (IS_WEFT) RUN(destructors_of_others);
}
