/* Scenes for both kinds of sync variables. Before it is included: the type sync_variable, and start,
 * write_ef, read_fe and read_xx for it. */
#include "runtime.h"

#include <pthread.h>

/* 2: a task waits for each state, and the other makes it. */
enum { ROUNDS = IS_SLOW ? 300 : 3000 };
static sync_variable ping, pong;

static void answer(void *bundle) {
  for (int64_t round = 0; round < ROUNDS; ++round) {
    write_ef(&pong, read_fe(&ping) + 1);
  }
  child_ends(statement_of_child(bundle));
}

static void waits(void) {
  start(&ping);
  start(&pong);
  end_count count = {0, NULL};
  stand_in_function(0, answer);
  add_child(&count, 0, NULL, 1);
  for (int64_t round = 0; round < ROUNDS; ++round) {
    write_ef(&ping, round);
    CHECK(read_fe(&pong) == round + 1);
  }
  wait_for_children(&count);
}

/* 3: many writers and readers of one variable, tasks and OS threads: each value arrives once. */
enum { WRITERS = 4, EACH = IS_SLOW ? 100 : 1000 };
static sync_variable shared;
static int64_t sum;

static void write_many(void *bundle) {
  for (int64_t value = 1; value <= EACH; ++value) {
    write_ef(&shared, value);
  }
  child_ends(statement_of_child(bundle));
}

static void *read_many(void *unused) {
  (void)unused;
  for (int index = 0; index < EACH; ++index) {
    __atomic_fetch_add(&sum, read_fe(&shared), __ATOMIC_RELAXED);
    (void)read_xx(&shared);
  }
  return NULL;
}

static void read_many_and_end(void *bundle) {
  read_many(NULL);
  child_ends(statement_of_child(bundle));
}

static void crowds(void) {
  start(&shared);
  end_count count = {0, NULL};
  stand_in_function(1, write_many);
  stand_in_function(2, read_many_and_end);
  pthread_t outside[2];
  for (int index = 0; index < 2; ++index) {
    CHECK(pthread_create(&outside[index], NULL, read_many, NULL) == 0);
  }
  for (int index = 0; index < WRITERS; ++index) {
    add_child(&count, 1, NULL, 1);
  }
  for (int index = 0; index < WRITERS - 2; ++index) {
    add_child(&count, 2, NULL, 1);
  }
  wait_for_children(&count);
  for (int index = 0; index < 2; ++index) {
    CHECK(pthread_join(outside[index], NULL) == 0);
  }
  CHECK(sum == (int64_t)WRITERS * EACH * (EACH + 1) / 2);
}
