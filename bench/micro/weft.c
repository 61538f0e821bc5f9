#include <weft/weft.h>

#include "micro.h"
#include "weft_forks.h"
#include "weft_kinds.h"
#include "weft_waits.h"

static void must(weft_status status) { micro_check(status == WEFT_OK, weft_status_name(status)); }

#define MICRO_YIELD() weft_yield()
#include "yields.h"

void micro_start(unsigned workers) {
  weft_config config = WEFT_CONFIG_INIT;
  config.workers = workers;
  must(weft_init(&config));
}

void micro_stop(void) { must(weft_finalize()); }

static void nothing(void *argument) { (void)argument; }

static double flat(weft_status (*create)(weft_function, void *, const weft_thread_attr *, weft_thread **)) {
  weft_thread *threads[MICRO_BATCH];
  const double start = micro_now();
  for (long done = 0; done < MICRO_CREATIONS; done += MICRO_BATCH) {
    for (int i = 0; i < MICRO_BATCH; ++i) must(create(nothing, NULL, NULL, &threads[i]));
    for (int i = 0; i < MICRO_BATCH; ++i) must(weft_thread_join(threads[i]));
  }
  return (micro_now() - start) / (double)MICRO_CREATIONS;
}

static double create_join(void) { return flat(weft_thread_create); }
static double tasklets(void) { return flat(weft_tasklet_create); }

/* Creation alone; they run when they are joined. */
static double creation(weft_status (*create)(weft_function, void *, const weft_thread_attr *, weft_thread **)) {
  weft_thread *threads[MICRO_BATCH];
  double took = 0;
  for (long done = 0; done < MICRO_CREATIONS; done += MICRO_BATCH) {
    const double start = micro_now();
    for (int i = 0; i < MICRO_BATCH; ++i) must(create(nothing, NULL, NULL, &threads[i]));
    took += micro_now() - start;
    for (int i = 0; i < MICRO_BATCH; ++i) must(weft_thread_join(threads[i]));
  }
  return took / (double)MICRO_CREATIONS;
}

static double create(void) { return creation(weft_thread_create); }
static double create_tasklet(void) { return creation(weft_tasklet_create); }

static double create_join_one(void) {
  const double start = micro_now();
  for (long i = 0; i < MICRO_CREATIONS; ++i) {
    weft_thread *thread;
    must(weft_thread_create(nothing, NULL, NULL, &thread));
    must(weft_thread_join(thread));
  }
  return (micro_now() - start) / (double)MICRO_CREATIONS;
}

static void measure_create_join_one(void *result) { *(double *)result = create_join_one(); }

/* By a ULT, which lends its stack to the one that it joins, where the main thread parks. */
static double create_join_one_by_ult(void) {
  double result = 0;
  weft_thread *thread;
  must(weft_thread_create(measure_create_join_one, &result, NULL, &thread));
  must(weft_thread_join(thread));
  return result;
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
  weft_thread *thread;
  must(weft_thread_create(fib, &left, NULL, &thread));
  fib(&right);
  must(weft_thread_join(thread));
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

static void pair(weft_function function, void *first, void *second) {
  weft_thread *threads[2];
  must(weft_thread_create(function, first, NULL, &threads[0]));
  must(weft_thread_create(function, second, NULL, &threads[1]));
  must(weft_thread_join(threads[0]));
  must(weft_thread_join(threads[1]));
}

static double yield_beside(void (*other)(void *)) {
  weft_thread *threads[2];
  const double start = micro_now();
  must(weft_thread_create(yielder, NULL, NULL, &threads[0]));
  must(weft_thread_create(other, NULL, NULL, &threads[1]));
  for (int i = 0; i < 2; ++i) must(weft_thread_join(threads[i]));
  return (micro_now() - start) / (2.0 * (double)MICRO_SWITCHES);
}
static double yield(void) { return yield_beside(yielder); }
static double yield_at_sites(void) { return yield_beside(other_yielder); }
static double yield_at_depths(void) { return yield_beside(deep_yielder); }

static weft_thread *partners[2];

static void yielder_to(void *argument) {
  const int me = *(int *)argument;
  while (partners[1 - me] == NULL) weft_yield();
  for (long i = 0; i < MICRO_SWITCHES; ++i) (void)!weft_yield_to(partners[1 - me]);
}

static double yield_to(void) {
  int numbers[2] = {0, 1};
  partners[0] = partners[1] = NULL;
  const double start = micro_now();
  for (int i = 0; i < 2; ++i) must(weft_thread_create(yielder_to, &numbers[i], NULL, &partners[i]));
  for (int i = 0; i < 2; ++i) must(weft_thread_join(partners[i]));
  return (micro_now() - start) / (2.0 * (double)MICRO_SWITCHES);
}

static weft_mutex mutex = WEFT_MUTEX_INIT;
static long counter;

static double mutex_alone(void) {
  const double start = micro_now();
  for (long i = 0; i < MICRO_SWITCHES; ++i) {
    must(weft_mutex_lock(&mutex));
    must(weft_mutex_unlock(&mutex));
  }
  return (micro_now() - start) / (double)MICRO_SWITCHES;
}

static void contender(void *argument) {
  (void)argument;
  for (int i = 0; i < 10000; ++i) {
    must(weft_mutex_lock(&mutex));
    ++counter;
    must(weft_mutex_unlock(&mutex));
  }
}

static double mutex_64(void) {
  weft_thread *threads[64];
  counter = 0;
  const double start = micro_now();
  for (int i = 0; i < 64; ++i) must(weft_thread_create(contender, NULL, NULL, &threads[i]));
  for (int i = 0; i < 64; ++i) must(weft_thread_join(threads[i]));
  const double took = micro_now() - start;
  micro_check(counter == 640000, "mutex");
  return took / 640000;
}

static weft_cond turns[2] = {WEFT_COND_INIT, WEFT_COND_INIT};
static int turn;

static void player(void *argument) {
  const int me = *(int *)argument;
  for (long i = 0; i < MICRO_SWITCHES / 10; ++i) {
    must(weft_mutex_lock(&mutex));
    while (turn != me) must(weft_cond_wait(&turns[me], &mutex));
    turn = 1 - me;
    must(weft_cond_signal(&turns[1 - me]));
    must(weft_mutex_unlock(&mutex));
  }
}

static double cond_ping_pong(void) {
  int numbers[2] = {0, 1};
  turn = 0;
  const double start = micro_now();
  pair(player, &numbers[0], &numbers[1]);
  return (micro_now() - start) / ((double)MICRO_SWITCHES / 10);
}

/* The players on two workers. */
static double cond_ping_pong_across(void) {
  int numbers[2] = {0, 1};
  weft_thread *threads[2];
  weft_thread_attr attr = WEFT_THREAD_ATTR_INIT;
  turn = 0;
  const double start = micro_now();
  for (int i = 0; i < 2; ++i) {
    attr.worker = i;
    must(weft_thread_create(player, &numbers[i], &attr, &threads[i]));
  }
  for (int i = 0; i < 2; ++i) must(weft_thread_join(threads[i]));
  return (micro_now() - start) / ((double)MICRO_SWITCHES / 10);
}

static weft_event gate;
static void wait_at_gate(void *argument) {
  (void)argument;
  must(weft_event_wait(&gate));
}

/* A round of `count` threads that all block at the same time, for each of them: until all
 * have blocked, from the release to the end of the last join, and the memory that they took. */
struct blocked_round {
  double block_ns, release_ns, bytes;
};

static struct blocked_round block_many(long count) {
  weft_thread **const threads = calloc((size_t)count, sizeof *threads);
  micro_check(threads != NULL, "memory for the handles of blocked threads");
  struct blocked_round round;
  gate = (weft_event)WEFT_EVENT_INIT;
  const double before = micro_memory(), start = micro_now();
  for (long i = 0; i < count; ++i) {
    must(weft_thread_create(wait_at_gate, NULL, NULL, &threads[i]));
    weft_yield();
  }
  round.block_ns = (micro_now() - start) / (double)count;
  round.bytes = (micro_memory() - before) / (double)count;
  const double released = micro_now();
  must(weft_event_set(&gate));
  for (long i = 0; i < count; ++i) must(weft_thread_join(threads[i]));
  round.release_ns = (micro_now() - released) / (double)count;
  free(threads);
  return round;
}

static struct blocked_round first_round;
static void measure_first(void) {
  if (first_round.block_ns == 0) first_round = block_many(MICRO_BLOCKED);
}
static double blocked_first(void) {
  measure_first();
  return first_round.block_ns + first_round.release_ns;
}
static double blocked_bytes(void) {
  measure_first();
  return first_round.bytes;
}
static double blocked_release(void) { return block_many(MICRO_BLOCKED).release_ns; }
static double blocked_recycled(void) {
  const struct blocked_round round = block_many(MICRO_BLOCKED);
  return round.block_ns + round.release_ns;
}
static double blocked_million(void) {
  const struct blocked_round round = block_many(10 * MICRO_BLOCKED);
  return round.block_ns + round.release_ns;
}

const struct micro micro_table[] = {{"create", create},
                                    {"create-tasklet", create_tasklet},
                                    {"create-join", create_join},
                                    {"create-join-one", create_join_one},
                                    {"create-join-one-by-ult", create_join_one_by_ult},
                                    {"create-join-sized", create_join_sized},
                                    {"create-join-fifo", create_join_fifo},
                                    {"create-join-priority", create_join_priority},
                                    {"create-join-copied", create_join_copied},
                                    {"park-unpark", park_unpark},
                                    {"await-set", await_set},
                                    {"timer-awaiter", timer_awaiter},
                                    {"timer-sleep", timer_sleep},
                                    {"tasklet", tasklets},
                                    {"nested", nested},
                                    {"yield", yield},
                                    {"yield-sites", yield_at_sites},
                                    {"yield-depths", yield_at_depths},
                                    {"yield-to", yield_to},
                                    {"mutex", mutex_alone},
                                    {"mutex-64", mutex_64},
                                    {"cond", cond_ping_pong},
                                    {"cond-across", cond_ping_pong_across},
                                    {"blocked-bytes", blocked_bytes},
                                    {"blocked-first", blocked_first},
                                    {"blocked-recycled", blocked_recycled},
                                    {"blocked-release", blocked_release},
                                    {"blocked-million", blocked_million},
                                    {"fork", fork_nested},
                                    {"fork-in-c", fork_nested_in_c},
                                    {"fork-flat", fork_flat},
                                    {"fork-only", fork_only},
                                    {"fork-one", fork_one},
                                    {"fork-taken", fork_taken},
                                    {"fork-taken-asleep", fork_taken_asleep},
                                    {"heavy-fence", heavy_fence},
                                    {NULL, NULL}};

int main(int argc, char **argv) { return micro_main(argc, argv); }
