/* An idle runtime burns CPU only where its wait policy says so, and wakes up when there is work. */
#include <pthread.h>
#include <time.h>

#include "check.h"

static uint64_t cpu_time_ns(void) {
  struct timespec spent;
  CHECK(clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &spent) == 0);
  return (uint64_t)spent.tv_sec * SECOND + (uint64_t)spent.tv_nsec;
}

/* A generous bound: one spinning worker would burn all of it, in every interval. */
static void rests(uint64_t interval) {
  for (int attempt = 0; attempt < 10; ++attempt) {
    OK(weft_sleep_ns(5 * MILLISECOND)); /* what came before settles */
    const uint64_t before = cpu_time_ns();
    OK(weft_sleep_ns(interval));
    if (cpu_time_ns() - before < interval / 4) return;
  }
  CHECK(false);
}

/* One that sleeps uses a thousandth; to one that spins, and makes way for others, a busy machine
 * leaves at least this now and then. */
static void spins(uint64_t interval) {
  for (int attempt = 0; attempt < 20; ++attempt) {
    const uint64_t before = cpu_time_ns();
    OK(weft_sleep_ns(interval));
    if (cpu_time_ns() - before >= interval / 50) return;
  }
  CHECK(false);
}

static void wait_for_event(void *argument) { OK(weft_event_wait(argument)); }

static void rests_with_all_blocked(void) {
  weft_event event = WEFT_EVENT_INIT;
  weft_thread *threads[100];
  OK(weft_thread_create_many(wait_for_event, &event, 0, 100, NULL, threads));
  for (int i = 0; i < 100; ++i) wait_for_state(threads[i], WEFT_THREAD_BLOCKED);
  rests(300 * MILLISECOND);
  OK(weft_event_set(&event));
  OK(weft_thread_join_many(threads, 100));
}

/* Sleepers with far deadlines, and one thread that wakes now and then. */
static void sleep_again_and_again(void *argument) {
  while (!atomic_load((atomic_int *)argument)) OK(weft_sleep_ns(20 * MILLISECOND));
}

static void rests_between_deadlines(void) {
  atomic_int is_over = 0;
  weft_thread *threads[4];
  OK(weft_thread_create_many(sleep_again_and_again, &is_over, 0, 4, NULL, threads));
  rests(200 * MILLISECOND);
  atomic_store(&is_over, 1);
  OK(weft_thread_join_many(threads, 4));
}

/* An OS thread outside gives work to workers that sleep, again and again. */
static void *wake_again_and_again(void *argument) {
  for (int round = 0; round < 200; ++round) {
    atomic_int count = 0;
    weft_thread *one = start(add_one, &count);
    OK(weft_thread_join(one));
    CHECK(atomic_load(&count) == 1);
    if (round % 10 == 0) OK(weft_sleep_ns(MILLISECOND));
  }
  atomic_store((atomic_int *)argument, 1);
  return NULL;
}

static void wakes_up(void) {
  atomic_int is_done = 0;
  pthread_t other;
  CHECK(pthread_create(&other, NULL, wake_again_and_again, &is_done) == 0);
  while (atomic_load(&is_done) == 0) OK(weft_sleep_ns(MILLISECOND));
  CHECK(pthread_join(other, NULL) == 0);
}

static void with_policy(const char *name, weft_wait_policy policy, unsigned workers, bool caller_outside) {
  phase = name;
  weft_config config = WEFT_CONFIG_INIT;
  config.workers = workers;
  config.wait_policy = policy;
  config.caller_outside = caller_outside;
  OK(weft_init(&config));
  if (policy != WEFT_WAIT_ACTIVE) {
    current_case = "idle";
    rests(300 * MILLISECOND);
    RUN(rests_with_all_blocked);
    RUN(rests_between_deadlines);
  }
  RUN(wakes_up);
  OK(weft_finalize());
}

/* One worker that has nothing to do but keep its caller's deadline. from_environment:
 * WEFT_WAIT_POLICY; empty: unset. */
static void idles(const char *name, weft_wait_policy policy, const char *from_environment,
                  void (*as_it_should)(uint64_t interval)) {
  phase = name;
  current_case = "spin time of a second";
  CHECK(setenv("WEFT_WAIT_POLICY", from_environment, 1) == 0);
  weft_config config = WEFT_CONFIG_INIT;
  config.workers = 1;
  config.wait_policy = policy;
  OK(weft_init(&config));
  as_it_should(300 * MILLISECOND);
  OK(weft_finalize());
}

int main(void) {
  with_policy("hybrid", WEFT_WAIT_HYBRID, 4, false);
  with_policy("hybrid, one worker", WEFT_WAIT_HYBRID, 1, false);
  with_policy("hybrid, outside", WEFT_WAIT_HYBRID, 3, true);
  with_policy("passive", WEFT_WAIT_PASSIVE, 4, false);
  with_policy("active", WEFT_WAIT_ACTIVE, 2, false);
  CHECK(setenv("WEFT_SPIN", "1s", 1) == 0);
  idles("hybrid", WEFT_WAIT_HYBRID, "", spins);
  idles("active", WEFT_WAIT_ACTIVE, "", spins);
  idles("passive", WEFT_WAIT_PASSIVE, "", rests);
  idles("active in the environment, passive in the program", WEFT_WAIT_PASSIVE, "active", spins);
  idles("passive in the environment, active in the program", WEFT_WAIT_ACTIVE, "passive", rests);
  return 0;
}
