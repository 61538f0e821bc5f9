/* Time under WEFT_SCHEDULE: a microsecond for each call, and when nothing can go on the clock
 * jumps to the first deadline. */
#include <stdlib.h>

#include "check.h"

enum { calls = 1000 };
static const uint64_t hour = 3600 * SECOND;

static void a_call_takes_a_microsecond(void) {
  weft_mutex mutex = WEFT_MUTEX_INIT;
  const uint64_t begin = weft_now_ns();
  for (int call = 0; call < calls; call += 2) {
    OK(weft_mutex_lock(&mutex));
    OK(weft_mutex_unlock(&mutex));
  }
  CHECK(weft_now_ns() - begin == (calls + 1) * MICROSECOND);
}

static uint64_t woken_at[2];
static void sleeps(void *hours) {
  OK(weft_sleep_ns(*(uint64_t *)hours * hour));
  woken_at[*(uint64_t *)hours - 1] = weft_now_ns();
}

/* In earnest it would last beyond every limit of a test. */
static void an_hour_costs_no_time(void) {
  uint64_t hours[] = {1, 2};
  const uint64_t begin = weft_now_ns();
  weft_thread *two = start(sleeps, &hours[1]);
  weft_thread *one = start(sleeps, &hours[0]);
  OK(weft_thread_join(two));
  OK(weft_thread_join(one));
  for (uint64_t each = 0; each < 2; ++each) {
    CHECK(woken_at[each] - begin >= hours[each] * hour);
    CHECK(woken_at[each] - begin < hours[each] * hour + SECOND);
  }
}

/* The pauses of a thread that polls grow with its wait, to a millisecond, and none goes beyond the deadline. */
static void a_yield_waits_as_long_as_it_says(void) {
  const uint64_t begin = weft_now_ns();
  uint64_t before = begin;
  uint64_t longest = 0;
  while (before - begin < 20 * MILLISECOND) {
    OK(weft_yield_or_wait(WEFT_FOREVER));
    const uint64_t now = weft_now_ns();
    if (now - before > longest) longest = now - before;
    before = now;
  }
  CHECK(longest >= MILLISECOND && longest < 2 * MILLISECOND);
  const uint64_t deadline = weft_deadline_in(100 * MICROSECOND);
  OK(weft_yield_or_wait(deadline));
  CHECK(weft_now_ns() >= deadline && weft_now_ns() < deadline + 100 * MICROSECOND);
  IS(WEFT_TIMEOUT, weft_yield_or_wait(deadline));
}

static void all(void) {
  RUN(a_yield_waits_as_long_as_it_says);
  RUN(a_call_takes_a_microsecond);
  RUN(an_hour_costs_no_time);
}

int main(void) {
  setenv("WEFT_SCHEDULE", "seed:1", 1);
  with_workers("one worker", 1, all);
  with_workers("four workers", 4, an_hour_costs_no_time);
  return 0;
}
