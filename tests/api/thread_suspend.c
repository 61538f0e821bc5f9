/* Suspend and resume, and sleep. */
#include <pthread.h>

#include "check.h"

/* ---- suspend and resume ---- */

struct sleeper {
  atomic_int rounds;
  int wanted;
};

static void suspend_some_times(void *argument) {
  struct sleeper *self = argument;
  while (atomic_load(&self->rounds) < self->wanted) {
    OK(weft_suspend());
    atomic_fetch_add(&self->rounds, 1);
  }
}

static void goes_on_when_resumed(void) {
  struct sleeper self = {0, 100};
  weft_thread *one = start(suspend_some_times, &self);
  for (int round = 0; round < self.wanted; ++round) {
    wait_for_state(one, WEFT_THREAD_SUSPENDED);
    CHECK(atomic_load(&self.rounds) == round);
    OK(weft_resume(one));
    wait_at_least(&self.rounds, round + 1);
  }
  OK(weft_thread_join(one));
}

/* A resume that comes first is remembered, and however many come, once. */
static void remembers_one_resume(void) {
  struct sleeper self = {0, 2};
  weft_thread *one = start_pinned(suspend_some_times, &self, 0); /* main is there too: it does not run yet */
  OK(weft_resume(one));
  OK(weft_resume(one));
  OK(weft_resume(one));
  wait_for_state(one, WEFT_THREAD_SUSPENDED);
  CHECK(atomic_load(&self.rounds) == 1);
  for (int i = 0; i < 100; ++i) breathe();
  CHECK(atomic_load(&self.rounds) == 1);
  OK(weft_resume(one));
  OK(weft_thread_join(one));
}

static void resumes_itself(void) {
  OK(weft_resume(weft_self()));
  OK(weft_suspend());
}

static void suspend_in_tasklet(void *argument) {
  (void)argument;
  IS(WEFT_CANNOT_BLOCK, weft_suspend());
  IS(WEFT_CANNOT_BLOCK, weft_sleep_ns(1));
  IS(WEFT_CANNOT_BLOCK, weft_sleep_until(weft_now_ns()));
  IS(WEFT_INVALID, weft_resume(weft_self()));
}

static void refuses(void) {
  IS(WEFT_INVALID, weft_resume(NULL));
  weft_thread *one = start(nothing, NULL);
  wait_for_state(one, WEFT_THREAD_ENDED);
  IS(WEFT_INVALID, weft_resume(one));
  OK(weft_thread_join(one));
  OK(weft_tasklet_create(suspend_in_tasklet, NULL, NULL, &one));
  OK(weft_thread_join(one));
}

/* ---- a crowd: every resume counts for one suspend at most, none is lost ---- */

struct crowd {
  weft_thread *members[8];
  atomic_int baton;
  int rounds;
};
struct member {
  struct crowd *crowd;
  int index;
};

static void take_the_baton(void *argument) {
  struct member *self = argument;
  struct crowd *crowd = self->crowd;
  for (int round = 0; round < crowd->rounds; ++round) {
    while (atomic_load(&crowd->baton) % 8 != self->index) OK(weft_suspend());
    atomic_fetch_add(&crowd->baton, 1);
    const weft_status result = weft_resume(crowd->members[(self->index + 1) % 8]);
    CHECK(result == WEFT_OK || result == WEFT_INVALID /* ended */);
  }
}

static void wait_then_take_the_baton(void *argument) {
  wait_at_least(&((struct member *)argument)->crowd->baton, 0);
  take_the_baton(argument);
}

static void passes_a_baton(void) {
  static struct crowd crowd;
  crowd.rounds = 2000;
  atomic_store(&crowd.baton, -1); /* until all are there */
  struct member members[8];
  for (int i = 0; i < 8; ++i) {
    members[i] = (struct member){&crowd, i};
    crowd.members[i] = start(wait_then_take_the_baton, &members[i]);
  }
  atomic_store(&crowd.baton, 0);
  for (int i = 0; i < 8; ++i) wait_for_state(crowd.members[i], WEFT_THREAD_ENDED); /* none is joined while it may be resumed */
  OK(weft_thread_join_many(crowd.members, 8));
  CHECK(atomic_load(&crowd.baton) == 8 * crowd.rounds);
}

/* ---- sleep ---- */

struct nap {
  uint64_t interval;
  uint64_t woke_at, due_at;
};

static void take_a_nap(void *argument) {
  struct nap *self = argument;
  self->due_at = weft_now_ns() + self->interval;
  OK(weft_sleep_ns(self->interval));
  self->woke_at = weft_now_ns();
}

static void sleeps_long_enough(void) {
  enum { MANY = 64 };
  struct nap naps[MANY];
  weft_thread *threads[MANY];
  for (int i = 0; i < MANY; ++i) {
    naps[i] = (struct nap){(uint64_t)(i * 37 % 50) * 100 * MICROSECOND, 0, 0};
    threads[i] = start(take_a_nap, &naps[i]);
  }
  OK(weft_thread_join_many(threads, MANY));
  for (int i = 0; i < MANY; ++i) CHECK(naps[i].woke_at >= naps[i].due_at);
}

static void sleeps_of_no_length(void) {
  OK(weft_sleep_ns(0));
  OK(weft_sleep_until(0));
  OK(weft_sleep_until(weft_now_ns()));
}

/* ---- outside ---- */

static void *outside(void *argument) {
  IS(WEFT_CANNOT_BLOCK, weft_suspend());
  const uint64_t before = weft_now_ns();
  OK(weft_sleep_ns(MILLISECOND));
  CHECK(weft_now_ns() >= before + MILLISECOND);
  struct sleeper self = {0, 10};
  weft_thread *one = start(suspend_some_times, &self);
  for (int round = 0; round < self.wanted; ++round) {
    wait_for_state(one, WEFT_THREAD_SUSPENDED);
    OK(weft_resume(one));
    wait_at_least(&self.rounds, round + 1);
  }
  OK(weft_thread_join(one));
  atomic_store((atomic_int *)argument, 1);
  return NULL;
}

static void from_outside(void) {
  atomic_int is_done = 0;
  pthread_t other;
  CHECK(pthread_create(&other, NULL, outside, &is_done) == 0);
  wait_for(&is_done, 1);
  CHECK(pthread_join(other, NULL) == 0);
}

static void all(void) {
  RUN(goes_on_when_resumed);
  RUN(remembers_one_resume);
  RUN(resumes_itself);
  RUN(refuses);
  RUN(passes_a_baton);
  RUN(sleeps_long_enough);
  RUN(sleeps_of_no_length);
  RUN(from_outside);
}

static void the_clock(void) {
  phase = "the clock";
  CHECK(weft_deadline_in(WEFT_FOREVER) == WEFT_FOREVER);
  CHECK(weft_deadline_in(WEFT_FOREVER - 1) == WEFT_FOREVER);
  const uint64_t now = weft_now_ns();
  const uint64_t deadline = weft_deadline_in(1000);
  CHECK(deadline >= now + 1000);
  CHECK(weft_now_ns() >= now);
}

int main(void) {
  the_clock();
  IS(WEFT_CANNOT_BLOCK, weft_suspend());
  OK(weft_sleep_ns(1000));
  with_workers("one worker", 1, all);
  with_workers("two workers", 2, all);
  with_workers("five workers", 5, all);
  return 0;
}
