/* Argobots at its fastest: set MICRO_POOL=private for a private FIFO pool (one worker; the default there), randws for the stealing one. */
#include <abt.h>

#include "micro.h"

static ABT_xstream streams[64];
static ABT_pool pools[64];
static unsigned stream_count;

static void must(int code) { micro_check(code == ABT_SUCCESS, "an Argobots call failed"); }

void micro_start(unsigned workers) {
  const char *kind = getenv("MICRO_POOL");
  const int is_private = kind != NULL ? strcmp(kind, "private") == 0 : workers == 1;
  stream_count = workers;
  must(ABT_init(0, NULL));
  for (unsigned i = 0; i < workers; ++i) {
    must(ABT_pool_create_basic(is_private ? ABT_POOL_FIFO : ABT_POOL_RANDWS,
                               is_private ? ABT_POOL_ACCESS_PRIV : ABT_POOL_ACCESS_MPMC, ABT_TRUE, &pools[i]));
  }
  for (unsigned i = 0; i < workers; ++i) {
    ABT_pool order[64];
    for (unsigned k = 0; k < workers; ++k) order[k] = pools[(i + k) % workers];
    if (i == 0) {
      must(ABT_xstream_self(&streams[0]));
      must(ABT_xstream_set_main_sched_basic(streams[0], is_private ? ABT_SCHED_BASIC : ABT_SCHED_RANDWS, (int)workers, order));
    } else {
      must(ABT_xstream_create_basic(ABT_SCHED_RANDWS, (int)workers, order, ABT_SCHED_CONFIG_NULL, &streams[i]));
    }
  }
}

void micro_stop(void) {
  for (unsigned i = 1; i < stream_count; ++i) {
    must(ABT_xstream_join(streams[i]));
    must(ABT_xstream_free(&streams[i]));
  }
  must(ABT_finalize());
}

static ABT_pool here(void) {
  int rank = 0;
  if (stream_count > 1) ABT_self_get_xstream_rank(&rank);
  return pools[rank];
}

static void nothing(void *argument) { (void)argument; }

static double create_join(void) {
  ABT_thread threads[MICRO_BATCH];
  const double start = micro_now();
  for (long done = 0; done < MICRO_CREATIONS; done += MICRO_BATCH) {
    for (int i = 0; i < MICRO_BATCH; ++i) must(ABT_thread_create(pools[0], nothing, NULL, ABT_THREAD_ATTR_NULL, &threads[i]));
    for (int i = 0; i < MICRO_BATCH; ++i) must(ABT_thread_free(&threads[i]));
  }
  return (micro_now() - start) / (double)MICRO_CREATIONS;
}

/* Creation alone; they run when they are freed. */
static double create(void) {
  ABT_thread threads[MICRO_BATCH];
  double took = 0;
  for (long done = 0; done < MICRO_CREATIONS; done += MICRO_BATCH) {
    const double start = micro_now();
    for (int i = 0; i < MICRO_BATCH; ++i) must(ABT_thread_create(pools[0], nothing, NULL, ABT_THREAD_ATTR_NULL, &threads[i]));
    took += micro_now() - start;
    for (int i = 0; i < MICRO_BATCH; ++i) must(ABT_thread_free(&threads[i]));
  }
  return took / (double)MICRO_CREATIONS;
}

static double create_tasklet(void) {
  ABT_task tasks[MICRO_BATCH];
  double took = 0;
  for (long done = 0; done < MICRO_CREATIONS; done += MICRO_BATCH) {
    const double start = micro_now();
    for (int i = 0; i < MICRO_BATCH; ++i) must(ABT_task_create(pools[0], nothing, NULL, &tasks[i]));
    took += micro_now() - start;
    for (int i = 0; i < MICRO_BATCH; ++i) must(ABT_task_free(&tasks[i]));
  }
  return took / (double)MICRO_CREATIONS;
}

/* The child runs first, here to its end, before its creator goes on. */
static double create_first(void) {
  ABT_thread threads[MICRO_BATCH];
  double took = 0;
  for (long done = 0; done < MICRO_CREATIONS; done += MICRO_BATCH) {
    const double start = micro_now();
    for (int i = 0; i < MICRO_BATCH; ++i) must(ABT_thread_create_to(pools[0], nothing, NULL, ABT_THREAD_ATTR_NULL, &threads[i]));
    took += micro_now() - start;
    for (int i = 0; i < MICRO_BATCH; ++i) must(ABT_thread_free(&threads[i]));
  }
  return took / (double)MICRO_CREATIONS;
}

static double create_first_join_one(void) {
  const double start = micro_now();
  for (long i = 0; i < MICRO_CREATIONS; ++i) {
    ABT_thread thread;
    must(ABT_thread_create_to(pools[0], nothing, NULL, ABT_THREAD_ATTR_NULL, &thread));
    must(ABT_thread_free(&thread));
  }
  return (micro_now() - start) / (double)MICRO_CREATIONS;
}

static double create_join_one(void) {
  const double start = micro_now();
  for (long i = 0; i < MICRO_CREATIONS; ++i) {
    ABT_thread thread;
    must(ABT_thread_create(pools[0], nothing, NULL, ABT_THREAD_ATTR_NULL, &thread));
    must(ABT_thread_free(&thread));
  }
  return (micro_now() - start) / (double)MICRO_CREATIONS;
}

static double tasklets(void) {
  ABT_task tasks[MICRO_BATCH];
  const double start = micro_now();
  for (long done = 0; done < MICRO_CREATIONS; done += MICRO_BATCH) {
    for (int i = 0; i < MICRO_BATCH; ++i) must(ABT_task_create(pools[0], nothing, NULL, &tasks[i]));
    for (int i = 0; i < MICRO_BATCH; ++i) must(ABT_task_free(&tasks[i]));
  }
  return (micro_now() - start) / (double)MICRO_CREATIONS;
}

struct fib {
  int n;
  long result;
};

static void fib(void *argument) {
  struct fib *self = argument;
  if (self->n < 2) {
    self->result = self->n;
    return;
  }
  struct fib left = {self->n - 1, 0}, right = {self->n - 2, 0};
  ABT_thread thread;
  must(ABT_thread_create(here(), fib, &left, ABT_THREAD_ATTR_NULL, &thread));
  fib(&right);
  must(ABT_thread_free(&thread));
  self->result = left.result + right.result;
}

static double nested(void) {
  struct fib root = {MICRO_FIB, 0};
  const double start = micro_now();
  fib(&root);
  const double took = micro_now() - start;
  micro_check(root.result == MICRO_FIB_ANSWER, "fib");
  return took / micro_fib_threads();
}

static void yielder(void *argument) {
  (void)argument;
  for (long i = 0; i < MICRO_SWITCHES; ++i) must(ABT_thread_yield());
}

static void pair(void (*function)(void *), ABT_pool first_pool, void *first, ABT_pool second_pool, void *second) {
  ABT_thread threads[2];
  must(ABT_thread_create(first_pool, function, first, ABT_THREAD_ATTR_NULL, &threads[0]));
  must(ABT_thread_create(second_pool, function, second, ABT_THREAD_ATTR_NULL, &threads[1]));
  must(ABT_thread_free(&threads[0]));
  must(ABT_thread_free(&threads[1]));
}

static double yield(void) {
  const double start = micro_now();
  pair(yielder, pools[0], NULL, pools[0], NULL);
  return (micro_now() - start) / (2.0 * (double)MICRO_SWITCHES);
}

/* Its fast yield_to takes a thread that was popped before: the two hand themselves over. */
static void yielder_to(void *argument) {
  (void)argument;
  for (long i = 0; i < MICRO_SWITCHES; ++i) {
    ABT_thread next;
    must(ABT_pool_pop_thread(pools[0], &next));
    if (next != ABT_THREAD_NULL) must(ABT_self_yield_to(next));
  }
}

static double yield_to(void) {
  const double start = micro_now();
  pair(yielder_to, pools[0], NULL, pools[0], NULL);
  return (micro_now() - start) / (2.0 * (double)MICRO_SWITCHES);
}

static ABT_mutex mutex;
static long counter;

static void need_mutex(void) {
  if (mutex == ABT_MUTEX_NULL || mutex == 0) must(ABT_mutex_create(&mutex));
}

static double mutex_alone(void) {
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

static double mutex_64(void) {
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

static double cond_ping_pong(void) { return ping_pong(pools[0], pools[0]); }
static double cond_ping_pong_across(void) { return ping_pong(pools[0], pools[stream_count - 1]); }

static ABT_eventual gate;
static void wait_at_gate(void *argument) {
  (void)argument;
  must(ABT_eventual_wait(gate, NULL));
}

static double block_many(double *bytes) {
  static ABT_thread threads[MICRO_BLOCKED];
  must(ABT_eventual_create(0, &gate));
  const double before = micro_memory(), start = micro_now();
  for (long i = 0; i < MICRO_BLOCKED; ++i) {
    must(ABT_thread_create(pools[0], wait_at_gate, NULL, ABT_THREAD_ATTR_NULL, &threads[i]));
    must(ABT_thread_yield());
  }
  const double took = micro_now() - start;
  if (bytes != NULL) *bytes = (micro_memory() - before) / (double)MICRO_BLOCKED;
  must(ABT_eventual_set(gate, NULL, 0));
  for (long i = 0; i < MICRO_BLOCKED; ++i) must(ABT_thread_free(&threads[i]));
  must(ABT_eventual_free(&gate));
  return took / (double)MICRO_BLOCKED;
}

static double first_block_ns, first_block_bytes;
static void measure_first(void) {
  if (first_block_ns == 0) first_block_ns = block_many(&first_block_bytes);
}
static double blocked_first(void) {
  measure_first();
  return first_block_ns;
}
static double blocked_bytes(void) {
  measure_first();
  return first_block_bytes;
}
static double blocked_recycled(void) { return block_many(NULL); }

const struct micro micro_table[] = {{"create", create},
                                    {"create-tasklet", create_tasklet},
                                    {"create-first", create_first},
                                    {"create-first-join-one", create_first_join_one},
                                    {"create-join", create_join},
                                    {"create-join-one", create_join_one},
                                    {"tasklet", tasklets},
                                    {"nested", nested},
                                    {"yield", yield},
                                    {"yield-to", yield_to},
                                    {"mutex", mutex_alone},
                                    {"mutex-64", mutex_64},
                                    {"cond", cond_ping_pong},
                                    {"cond-across", cond_ping_pong_across},
                                    {"blocked-bytes", blocked_bytes},
                                    {"blocked-first", blocked_first},
                                    {"blocked-recycled", blocked_recycled},
                                    {NULL, NULL}};

int main(int argc, char **argv) { return micro_main(argc, argv); }
