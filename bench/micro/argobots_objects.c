/* See argobots.h. */
#include "argobots.h"

static ABT_mutex mutex;
static long counter;

static void need_mutex(void) {
  if (mutex == ABT_MUTEX_NULL || mutex == 0) must(ABT_mutex_create(&mutex));
}

double mutex_alone(void) {
  need_mutex();
  const double start = micro_now();
  for (long i = 0; i < MICRO_SWITCHES; ++i) {
    must(ABT_mutex_lock(mutex));
    must(ABT_mutex_unlock(mutex));
  }
  return (micro_now() - start) / (double)MICRO_SWITCHES;
}

static void contender(void *argument) {
  (void)argument;
  for (int i = 0; i < 10000; ++i) {
    must(ABT_mutex_lock(mutex));
    ++counter;
    must(ABT_mutex_unlock(mutex));
  }
}

double mutex_64(void) {
  ABT_thread threads[64];
  need_mutex();
  counter = 0;
  const double start = micro_now();
  for (unsigned i = 0; i < 64; ++i)
    must(ABT_thread_create(pools[i % stream_count], contender, NULL, ABT_THREAD_ATTR_NULL, &threads[i]));
  for (int i = 0; i < 64; ++i) must(ABT_thread_free(&threads[i]));
  const double took = micro_now() - start;
  micro_check(counter == 640000, "mutex");
  return took / 640000;
}

/* No thread waits for it. */
double eventual_alone(void) {
  ABT_eventual eventual;
  must(ABT_eventual_create(0, &eventual));
  const double start = micro_now();
  for (long i = 0; i < MICRO_SWITCHES; ++i) {
    must(ABT_eventual_set(eventual, NULL, 0));
    must(ABT_eventual_wait(eventual, NULL));
    must(ABT_eventual_reset(eventual));
  }
  const double took = micro_now() - start;
  must(ABT_eventual_free(&eventual));
  return took / (double)MICRO_SWITCHES;
}

static ABT_cond turns[2];
static int turn;

static void player(void *argument) {
  const int me = *(int *)argument;
  for (long i = 0; i < MICRO_SWITCHES / 10; ++i) {
    must(ABT_mutex_lock(mutex));
    while (turn != me) must(ABT_cond_wait(turns[me], mutex));
    turn = 1 - me;
    must(ABT_cond_signal(turns[1 - me]));
    must(ABT_mutex_unlock(mutex));
  }
}

static double ping_pong(ABT_pool first, ABT_pool second) {
  int numbers[2] = {0, 1};
  need_mutex();
  for (int i = 0; i < 2; ++i) must(ABT_cond_create(&turns[i]));
  turn = 0;
  const double start = micro_now();
  pair(player, first, &numbers[0], second, &numbers[1]);
  const double took = micro_now() - start;
  for (int i = 0; i < 2; ++i) must(ABT_cond_free(&turns[i]));
  return took / ((double)MICRO_SWITCHES / 10);
}

double cond_ping_pong(void) { return ping_pong(pools[0], pools[0]); }
double cond_ping_pong_across(void) { return ping_pong(pools[0], pools[stream_count - 1]); }

static ABT_eventual gate;
static void wait_at_gate(void *argument) {
  (void)argument;
  must(ABT_eventual_wait(gate, NULL));
}

struct blocked_round {
  double block_ns, release_ns, bytes;
};

static struct blocked_round block_many(long count) {
  ABT_thread *const threads = calloc((size_t)count, sizeof *threads);
  micro_check(threads != NULL, "memory for the handles of blocked threads");
  struct blocked_round round;
  must(ABT_eventual_create(0, &gate));
  const double before = micro_memory(), start = micro_now();
  for (long i = 0; i < count; ++i) {
    must(ABT_thread_create(pools[0], wait_at_gate, NULL, ABT_THREAD_ATTR_NULL, &threads[i]));
    must(ABT_thread_yield());
  }
  round.block_ns = (micro_now() - start) / (double)count;
  round.bytes = (micro_memory() - before) / (double)count;
  const double released = micro_now();
  must(ABT_eventual_set(gate, NULL, 0));
  for (long i = 0; i < count; ++i) must(ABT_thread_free(&threads[i]));
  round.release_ns = (micro_now() - released) / (double)count;
  must(ABT_eventual_free(&gate));
  free(threads);
  return round;
}

static struct blocked_round first_round;
static void measure_first(void) {
  if (first_round.block_ns == 0) first_round = block_many(MICRO_BLOCKED);
}
double blocked_first(void) {
  measure_first();
  return first_round.block_ns + first_round.release_ns;
}
double blocked_bytes(void) {
  measure_first();
  return first_round.bytes;
}
double blocked_release(void) { return block_many(MICRO_BLOCKED).release_ns; }
double blocked_recycled(void) {
  const struct blocked_round round = block_many(MICRO_BLOCKED);
  return round.block_ns + round.release_ns;
}
double blocked_million(void) {
  const struct blocked_round round = block_many(10 * MICRO_BLOCKED);
  return round.block_ns + round.release_ns;
}

double key_get(void) {
  ABT_key key;
  int kept = 0;
  long found = 0;
  must(ABT_key_create(NULL, &key));
  must(ABT_key_set(key, &kept));
  const double start = micro_now();
  for (long i = 0; i < MICRO_SWITCHES; ++i) {
    void *value = NULL;
    must(ABT_key_get(key, &value));
    found += value == &kept;
  }
  const double took = micro_now() - start;
  micro_check(found == MICRO_SWITCHES, "key");
  must(ABT_key_free(&key));
  return took / (double)MICRO_SWITCHES;
}

/* One unit, out of a pool and back into it. */
double pop_push(void) {
  ABT_pool pool;
  ABT_thread thread, popped;
  must(ABT_pool_create_basic(ABT_POOL_FIFO, ABT_POOL_ACCESS_MPMC, ABT_FALSE, &pool));
  must(ABT_thread_create(pool, nothing, NULL, ABT_THREAD_ATTR_NULL, &thread));
  const double start = micro_now();
  for (long i = 0; i < MICRO_SWITCHES; ++i) {
    must(ABT_pool_pop_thread(pool, &popped));
    must(ABT_pool_push_thread(pool, popped));
  }
  const double took = micro_now() - start;
  must(ABT_pool_pop_thread(pool, &popped));
  micro_check(popped == thread, "pool");
  must(ABT_pool_push_thread(pools[0], popped));
  must(ABT_thread_free(&thread));
  must(ABT_pool_free(&pool));
  return took / (double)MICRO_SWITCHES;
}
