/* What is printed for people: that it is there, names its object, and prints nothing that is not asked for. */
#include "check.h"

static char *printed;
static size_t length;

static FILE *open_printed(void) {
  FILE *file = open_memstream(&printed, &length);
  CHECK(file != NULL);
  return file;
}

static void close_printed(FILE *file, bool is_empty) {
  fclose(file);
  CHECK((length == 0) == is_empty);
  free(printed);
}

static void attributes(void) {
  static char stack[65536] __attribute__((aligned(64)));
  ABT_thread_attr attr;
  OK(ABT_thread_attr_create(&attr));
  for (int has_stack = 0; has_stack < 2; ++has_stack) {
    if (has_stack) OK(ABT_thread_attr_set_stack(attr, stack, sizeof stack));
    FILE *file = open_printed();
    OK(ABT_info_print_thread_attr(file, attr));
    fflush(file);
    if (has_stack) CHECK(strstr(printed, "65536") != NULL);
    close_printed(file, false);
  }
  OK(ABT_thread_attr_free(&attr));
  FILE *file = open_printed();
  IS(ABT_ERR_INV_THREAD_ATTR, ABT_info_print_thread_attr(file, ABT_THREAD_ATTR_NULL));
  close_printed(file, true);
}

static void await_turn(void *argument) {
  atomic_int *turn = argument;
  add_one(turn);
  while (atomic_load(turn) < 100) OK(ABT_self_yield());
}

static void stacks_in_a_pool(void) {
  atomic_int turn = 0;
  ABT_pool pool;
  ABT_thread threads[3], popped;
  OK(ABT_pool_create_basic(ABT_POOL_FIFO, ABT_POOL_ACCESS_MPMC, ABT_FALSE, &pool));
  for (int i = 0; i < 3; ++i) threads[i] = start(pool, await_turn, &turn);
  for (int i = 0; i < 2; ++i) { /* two have a stack, the third has not started */
    OK(ABT_pool_pop_thread(pool, &popped));
    OK(ABT_self_schedule(popped, ABT_POOL_NULL));
  }
  CHECK(atomic_load(&turn) == 2);
  FILE *file = open_printed();
  OK(ABT_info_print_thread_stacks_in_pool(file, pool));
  fflush(file);
  CHECK(atomic_load(&turn) == 2); /* nobody ran */
  close_printed(file, false);
  file = open_printed();
  IS(ABT_ERR_INV_POOL, ABT_info_print_thread_stacks_in_pool(file, ABT_POOL_NULL));
  close_printed(file, true);
  atomic_store(&turn, 100);
  for (int i = 0; i < 3; ++i) {
    OK(ABT_pool_pop_thread(pool, &popped));
    OK(ABT_self_schedule(popped, ABT_POOL_NULL));
  }
  for (int i = 0; i < 3; ++i) end(threads[i]);
  OK(ABT_pool_free(&pool));
}

void check_printing(void) {
  RUN(attributes);
  RUN(stacks_in_a_pool);
}
