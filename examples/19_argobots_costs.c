/* Argobots' interface on Weft: what its operations cost, on as many streams as the program is told
 * to use (1), each with the same work. Compiled with a real Argobots' abt.h it tells what they cost
 * there.
 *
 * usage: 19_argobots_costs [STREAMS [ROUNDS]] */
#include <stdio.h>
#include <stdlib.h>

#include "must_abt.h"

enum { most_streams = 64, batch = 100 };

static int streams = 1, rounds = 20000;
static ABT_pool pool[most_streams];
static ABT_mutex mutex;
static ABT_barrier barrier;
static long counter;

static void nothing(void *argument) { (void)argument; }

/* ---- what is measured: each is run by one ULT a stream, or by two ---- */

static void create_and_join(void *home) {
  ABT_thread made[batch];
  for (int done = 0; done < rounds; done += batch) {
    for (int i = 0; i < batch; ++i) must(ABT_thread_create(*(ABT_pool *)home, nothing, NULL, ABT_THREAD_ATTR_NULL, &made[i]));
    for (int i = 0; i < batch; ++i) must(ABT_thread_free(&made[i]));
  }
}

static void create_and_join_tasklets(void *home) {
  ABT_task made[batch];
  for (int done = 0; done < rounds; done += batch) {
    for (int i = 0; i < batch; ++i) must(ABT_task_create(*(ABT_pool *)home, nothing, NULL, &made[i]));
    for (int i = 0; i < batch; ++i) must(ABT_task_free(&made[i]));
  }
}

static void revive_and_join(void *home) {
  ABT_thread thread;
  must(ABT_thread_create(*(ABT_pool *)home, nothing, NULL, ABT_THREAD_ATTR_NULL, &thread));
  for (int i = 1; i < rounds; ++i) {
    must(ABT_thread_join(thread));
    must(ABT_thread_revive(*(ABT_pool *)home, nothing, NULL, &thread));
  }
  must(ABT_thread_free(&thread));
}

static void yield(void *home) {
  (void)home;
  for (int i = 0; i < rounds; ++i) must(ABT_thread_yield());
}

static void lock_own(void *home) {
  ABT_mutex own;
  (void)home;
  must(ABT_mutex_create(&own));
  for (int i = 0; i < rounds; ++i) {
    must(ABT_mutex_lock(own));
    must(ABT_mutex_unlock(own));
  }
  must(ABT_mutex_free(&own));
}

static void lock_shared(void *home) {
  (void)home;
  for (int i = 0; i < rounds; ++i) {
    must(ABT_mutex_lock(mutex));
    ++counter;
    must(ABT_mutex_unlock(mutex));
  }
}

static void meet(void *home) {
  (void)home;
  for (int i = 0; i < rounds; ++i) must(ABT_barrier_wait(barrier));
}

static const struct operation {
  const char *name;
  void (*run)(void *home);
  int ults; /* a stream */
} operations[] = {
    {"create and join a ULT", create_and_join, 1},
    {"create and join a tasklet", create_and_join_tasklets, 1},
    {"revive and join a ULT", revive_and_join, 1},
    {"yield to another ULT", yield, 2},
    {"lock and unlock a mutex", lock_own, 1},
    {"lock and unlock a shared mutex", lock_shared, 2},
    {"meet at a barrier", meet, 2},
};

/* ---- measuring ---- */

/* In nanoseconds, all ULTs together. */
static double time_of(const struct operation *what) {
  ABT_thread thread[2 * most_streams];
  const int ults = what->ults * streams;
  const double start = ABT_get_wtime();
  for (int i = 0; i < ults; ++i)
    must(ABT_thread_create(pool[i % streams], what->run, &pool[i % streams], ABT_THREAD_ATTR_NULL, &thread[i]));
  for (int i = 0; i < ults; ++i) must(ABT_thread_free(&thread[i]));
  return (ABT_get_wtime() - start) * 1e9;
}

static void report(const struct operation *what) {
  counter = 0;
  double least = time_of(what); /* the first time is for warming up */
  for (int again = 0; again < 3; ++again) {
    const double now = time_of(what);
    if (again == 0 || now < least) least = now;
  }
  if (what->run == lock_shared && counter != 8L * streams * rounds) exit(1);
  printf("%-32s %8.1f ns\n", what->name, least / ((double)what->ults * rounds));
}

static int number(int argc, char **argv, int which, int usual, int most) {
  const int given = argc > which ? atoi(argv[which]) : usual;
  return given < 1 ? 1 : given > most ? most : given;
}

int main(int argc, char **argv) {
  ABT_xstream stream[most_streams];
  streams = number(argc, argv, 1, streams, most_streams);
  rounds = number(argc, argv, 2, rounds, 1000000) / batch * batch + batch;
  must(ABT_init(argc, argv));
  must(ABT_xstream_self(&stream[0]));
  for (int i = 1; i < streams; ++i) must(ABT_xstream_create(ABT_SCHED_NULL, &stream[i]));
  for (int i = 0; i < streams; ++i) must(ABT_xstream_get_main_pools(stream[i], 1, &pool[i]));
  must(ABT_mutex_create(&mutex));
  must(ABT_barrier_create(2 * (unsigned)streams, &barrier));

  for (size_t i = 0; i < sizeof operations / sizeof operations[0]; ++i) report(&operations[i]);

  must(ABT_barrier_free(&barrier));
  must(ABT_mutex_free(&mutex));
  for (int i = 1; i < streams; ++i) must(ABT_xstream_free(&stream[i]));
  must(ABT_finalize());
  return 0;
}
