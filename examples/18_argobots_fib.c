/* Argobots' interface on Weft: Fibonacci numbers with a ULT for every call, and streams that
 * steal from each other. Each stream's scheduler serves all pools, its own first, and one of the
 * others, chosen at random, when that is empty. */
#include <stdio.h>

#include "must_abt.h"

enum { streams = 4 };

struct number {
  int n;
  long value;
};

static void fib(void *argument) {
  struct number *number = argument;
  if (number->n < 2) {
    number->value = number->n;
    return;
  }
  struct number left = {number->n - 1, 0}, right = {number->n - 2, 0};
  ABT_pool pool;
  ABT_thread thread;
  must(ABT_self_get_last_pool(&pool)); /* its own is the caller's; a thief that ran it does not take it along */
  must(ABT_thread_create(pool, fib, &left, ABT_THREAD_ATTR_NULL, &thread));
  fib(&right);
  must(ABT_thread_free(&thread));
  number->value = left.value + right.value;
}

int main(int argc, char **argv) {
  ABT_xstream stream[streams];
  ABT_pool pool[streams];
  must(ABT_init(argc, argv));
  for (int i = 0; i < streams; ++i) must(ABT_pool_create_basic(ABT_POOL_RANDWS, ABT_POOL_ACCESS_MPMC, ABT_TRUE, &pool[i]));

  for (int i = 0; i < streams; ++i) {
    ABT_pool in_turn[streams];
    for (int j = 0; j < streams; ++j) in_turn[j] = pool[(i + j) % streams];
    if (i == 0) {
      must(ABT_xstream_self(&stream[0]));
      must(ABT_xstream_set_main_sched_basic(stream[0], ABT_SCHED_RANDWS, streams, in_turn));
    } else {
      must(ABT_xstream_create_basic(ABT_SCHED_RANDWS, streams, in_turn, ABT_SCHED_CONFIG_NULL, &stream[i]));
    }
  }

  struct number number = {20, 0};
  fib(&number);
  printf("fib(%d) = %ld\n", number.n, number.value);

  for (int i = 1; i < streams; ++i)
    must(ABT_xstream_join(stream[i])); /* first all: main may be on any of them, having been stolen */
  for (int i = 1; i < streams; ++i) must(ABT_xstream_free(&stream[i]));
  must(ABT_finalize());
  return 0;
}
