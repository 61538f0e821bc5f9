// As it would be written for Argobots.
#include <abt.h>
#include <stdio.h>

static void add(void *argument) { *(int *)argument += 2; }

int main(int argc, char **argv) {
  int sum = 40;
  if (ABT_init(argc, argv) != ABT_SUCCESS) return 1;
  ABT_pool pool;
  ABT_thread thread;
  if (ABT_self_get_last_pool(&pool) != ABT_SUCCESS) return 2;
  if (ABT_thread_create(pool, add, &sum, ABT_THREAD_ATTR_NULL, &thread) != ABT_SUCCESS) return 3;
  if (ABT_thread_free(&thread) != ABT_SUCCESS) return 4;
  if (ABT_finalize() != ABT_SUCCESS) return 5;
  printf("Argobots %s: %d\n", ABT_VERSION, sum);
  return 0;
}
