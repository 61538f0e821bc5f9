/* The pools, by MICRO_POOL: private, a private FIFO pool (one worker; the default there);
 * randws, pools that are stolen from; plain, what ABT_init makes (one worker). */
#include "argobots.h"

#define MICRO_YIELD() must(ABT_thread_yield())
#include "yields.h"

static ABT_xstream streams[64];
ABT_pool pools[64];
unsigned stream_count;

static void use_plain_pool(void) {
  stream_count = 1;
  must(ABT_init(0, NULL));
  must(ABT_xstream_self(&streams[0]));
  must(ABT_xstream_get_main_pools(streams[0], 1, &pools[0]));
}

void micro_start(unsigned workers) {
  const char *kind = getenv("MICRO_POOL");
  if (kind != NULL && strcmp(kind, "plain") == 0) return use_plain_pool();
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

static double create_join(void) {
  ABT_thread threads[MICRO_BATCH];
  const double start = micro_now();
  for (long done = 0; done < MICRO_CREATIONS; done += MICRO_BATCH) {
    for (int i = 0; i < MICRO_BATCH; ++i) must(ABT_thread_create(pools[0], nothing, NULL, ABT_THREAD_ATTR_NULL, &threads[i]));
    for (int i = 0; i < MICRO_BATCH; ++i) must(ABT_thread_free(&threads[i]));
  }
  return (micro_now() - start) / (double)MICRO_CREATIONS;
}

static double create_join_sized(void) {
  ABT_thread threads[MICRO_BATCH];
  ABT_thread_attr attr;
  must(ABT_thread_attr_create(&attr));
  must(ABT_thread_attr_set_stacksize(attr, MICRO_SIZED_STACK));
  const double start = micro_now();
  for (long done = 0; done < MICRO_CREATIONS / 50; done += MICRO_BATCH) {
    for (int i = 0; i < MICRO_BATCH; ++i) must(ABT_thread_create(pools[0], nothing, NULL, attr, &threads[i]));
    for (int i = 0; i < MICRO_BATCH; ++i) must(ABT_thread_free(&threads[i]));
  }
  const double took = micro_now() - start;
  must(ABT_thread_attr_free(&attr));
  return took / ((double)MICRO_CREATIONS / 50);
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

static double revive_join(void) {
  ABT_thread thread;
  must(ABT_thread_create(pools[0], nothing, NULL, ABT_THREAD_ATTR_NULL, &thread));
  must(ABT_thread_join(thread));
  const double start = micro_now();
  for (long i = 0; i < MICRO_CREATIONS; ++i) {
    must(ABT_thread_revive(pools[0], nothing, NULL, &thread));
    must(ABT_thread_join(thread));
  }
  const double took = micro_now() - start;
  must(ABT_thread_free(&thread));
  return took / (double)MICRO_CREATIONS;
}

static double tasklet_one(void) {
  const double start = micro_now();
  for (long i = 0; i < MICRO_CREATIONS; ++i) {
    ABT_task task;
    must(ABT_task_create(pools[0], nothing, NULL, &task));
    must(ABT_task_free(&task));
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

void pair(void (*function)(void *), ABT_pool first_pool, void *first, ABT_pool second_pool, void *second) {
  ABT_thread threads[2];
  must(ABT_thread_create(first_pool, function, first, ABT_THREAD_ATTR_NULL, &threads[0]));
  must(ABT_thread_create(second_pool, function, second, ABT_THREAD_ATTR_NULL, &threads[1]));
  must(ABT_thread_free(&threads[0]));
  must(ABT_thread_free(&threads[1]));
}

static double yield_beside(void (*other)(void *)) {
  ABT_thread threads[2];
  const double start = micro_now();
  must(ABT_thread_create(pools[0], yielder, NULL, ABT_THREAD_ATTR_NULL, &threads[0]));
  must(ABT_thread_create(pools[0], other, NULL, ABT_THREAD_ATTR_NULL, &threads[1]));
  for (int i = 0; i < 2; ++i) must(ABT_thread_free(&threads[i]));
  return (micro_now() - start) / (2.0 * (double)MICRO_SWITCHES);
}
static double yield(void) { return yield_beside(yielder); }
static double yield_at_sites(void) { return yield_beside(other_yielder); }
static double yield_at_depths(void) { return yield_beside(deep_yielder); }

static double yield_alone(void) {
  const double start = micro_now();
  yielder(NULL);
  return (micro_now() - start) / (double)MICRO_SWITCHES;
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

const struct micro micro_table[] = {{"create", create},
                                    {"create-tasklet", create_tasklet},
                                    {"create-first", create_first},
                                    {"create-first-join-one", create_first_join_one},
                                    {"create-join", create_join},
                                    {"create-join-one", create_join_one},
                                    {"create-join-sized", create_join_sized},
                                    {"revive-join", revive_join},
                                    {"tasklet", tasklets},
                                    {"tasklet-one", tasklet_one},
                                    {"nested", nested},
                                    {"yield", yield},
                                    {"yield-sites", yield_at_sites},
                                    {"yield-depths", yield_at_depths},
                                    {"yield-alone", yield_alone},
                                    {"yield-to", yield_to},
                                    {"mutex", mutex_alone},
                                    {"mutex-64", mutex_64},
                                    {"eventual", eventual_alone},
                                    {"key-get", key_get},
                                    {"pop-push", pop_push},
                                    {"cond", cond_ping_pong},
                                    {"cond-across", cond_ping_pong_across},
                                    {"blocked-bytes", blocked_bytes},
                                    {"blocked-first", blocked_first},
                                    {"blocked-recycled", blocked_recycled},
                                    {"blocked-release", blocked_release},
                                    {"blocked-million", blocked_million},
                                    {NULL, NULL}};

int main(int argc, char **argv) { return micro_main(argc, argv); }
