/* See weft_waits.h. */
#include "weft_waits.h"

#include <stdlib.h>
#include <weft/ext.h>

#include "micro.h"

static void must(weft_status status) { micro_check(status == WEFT_OK, weft_status_name(status)); }

static double in_a_thread(weft_function function) {
  double result = 0;
  weft_thread *thread;
  must(weft_thread_create(function, &result, NULL, &thread));
  must(weft_thread_join(thread));
  return result;
}

/* ---- a wake-up ---- */

struct parking {
  weft_thread *parked;
  long times;
};

static bool publish(weft_thread *self, void *argument) {
  struct parking *at = argument;
  at->parked = self;
  return true;
}

static void park(void *argument) {
  struct parking *at = argument;
  for (; at->times > 0; --at->times) must(weft_ext_park(publish, at, NULL));
}

/* A thread parks, and another one unparks it and lets it run. */
static void measure_parks(void *result) {
  struct parking at = {NULL, MICRO_SWITCHES};
  weft_thread *thread;
  must(weft_thread_create(park, &at, NULL, &thread));
  while (at.parked == NULL) weft_yield();
  const double start = micro_now();
  while (at.times > 1) {
    weft_ext_unpark(at.parked);
    weft_yield();
  }
  *(double *)result = (micro_now() - start) / (double)MICRO_SWITCHES;
  weft_ext_unpark(at.parked);
  must(weft_thread_join(thread));
}

double park_unpark(void) { return in_a_thread(measure_parks); }

static long calls;

static void count(weft_awaiter *awaiter, weft_status status) {
  (void)awaiter;
  calls += status == WEFT_OK;
}

/* An awaiter waits for an event, which is set, and ready is called. */
static void measure_awaits(void *result) {
  weft_awaiter awaiter = WEFT_AWAITER_INIT(count);
  const long before = calls;
  const double start = micro_now();
  for (long done = 0; done < MICRO_SWITCHES; ++done) {
    weft_event event = WEFT_EVENT_INIT;
    bool waits;
    must(weft_ext_await(&awaiter, &event, WEFT_AWAIT_EVENT, &waits));
    must(weft_event_set(&event));
  }
  *(double *)result = (micro_now() - start) / (double)MICRO_SWITCHES;
  micro_check(calls - before == MICRO_SWITCHES, "ready was not called");
}

double await_set(void) { return in_a_thread(measure_awaits); }

/* ---- arguments ---- */

struct words {
  char bytes[64];
};

static void nothing(void *argument) { (void)argument; }

/* As create-join, with 64 bytes that are copied. */
double create_join_copied(void) {
  weft_thread *threads[MICRO_BATCH];
  const struct words words = {{0}};
  const double start = micro_now();
  for (long done = 0; done < MICRO_CREATIONS; done += MICRO_BATCH) {
    for (int i = 0; i < MICRO_BATCH; ++i) must(weft_thread_create_copy(nothing, &words, sizeof words, NULL, &threads[i]));
    for (int i = 0; i < MICRO_BATCH; ++i) must(weft_thread_join(threads[i]));
  }
  return (micro_now() - start) / (double)MICRO_CREATIONS;
}

/* ---- timers ---- */

#define TIMERS 100000

/* So many awaiters are armed at a time, far away, and cancelled in another order. */
double timer_awaiter(void) {
  weft_awaiter *all = malloc(TIMERS * sizeof *all);
  micro_check(all != NULL, "no memory");
  const uint64_t far = weft_deadline_in(UINT64_C(3600000000000));
  for (size_t i = 0; i < TIMERS; ++i) {
    all[i] = (weft_awaiter)WEFT_AWAITER_INIT(count);
    all[i].deadline_ns = far + i * 7919 % TIMERS;
  }
  const double start = micro_now();
  for (size_t i = 0; i < TIMERS; ++i) {
    bool waits;
    must(weft_ext_await(&all[i], NULL, WEFT_AWAIT_DEADLINE, &waits));
  }
  for (size_t i = 0; i < TIMERS; ++i) micro_check(weft_ext_await_cancel(&all[i * 31 % TIMERS]), "not armed");
  const double result = (micro_now() - start) / (double)TIMERS;
  free(all);
  return result;
}

struct sleeper {
  weft_event *begins;
  weft_semaphore wakes;
  uint64_t deadline_ns;
};

static void wait_twice(void *argument) {
  struct sleeper *mine = argument;
  must(weft_event_wait(mine->begins)); /* its stack is there from now on */
  must(weft_semaphore_acquire_until(&mine->wakes, mine->deadline_ns));
}

static void await_blocked(const weft_thread *thread) {
  while (weft_thread_get_state(thread) != WEFT_THREAD_BLOCKED) weft_yield();
}

/* So many threads wait until deadlines as far away, and are woken before. */
double timer_sleep(void) {
  struct sleeper *all = malloc(TIMERS * sizeof *all);
  weft_thread **threads = malloc(TIMERS * sizeof *threads);
  micro_check(all != NULL && threads != NULL, "no memory");
  const uint64_t far = weft_deadline_in(UINT64_C(3600000000000));
  weft_event begins = WEFT_EVENT_INIT;
  for (size_t i = 0; i < TIMERS; ++i) {
    all[i] = (struct sleeper){&begins, WEFT_SEMAPHORE_INIT(0), far + i * 7919 % TIMERS};
    must(weft_thread_create(wait_twice, &all[i], NULL, &threads[i]));
  }
  for (size_t i = 0; i < TIMERS; ++i) await_blocked(threads[i]);
  const double start = micro_now();
  must(weft_event_set(&begins));
  for (size_t i = 0; i < TIMERS; ++i) {
    weft_yield();
    await_blocked(threads[i]);
  }
  for (size_t i = 0; i < TIMERS; ++i) must(weft_semaphore_release(&all[i * 31 % TIMERS].wakes, 1));
  for (size_t i = 0; i < TIMERS; ++i) must(weft_thread_join(threads[i]));
  const double result = (micro_now() - start) / (double)TIMERS;
  free(all);
  free(threads);
  return result;
}
