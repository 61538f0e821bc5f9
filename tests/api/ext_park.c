/* ext.h: park and unpark, the verbs beneath every wait. */
#include <pthread.h>
#include <weft/ext.h>
#include <weft/hot.h>

#include "check.h"

/* ---- one that parks ---- */

struct parker {
  weft_thread *_Atomic published; /* by commit */
  atomic_int commits, goes_on;    /* goes_on: times that it came back */
  bool refuses;
};

static void forget(struct parker *one) { atomic_store(&one->published, NULL); }

static void note_run(void *work) { ++**(int **)work; }

/* A callback has no identity and may not wait; so its forks run in their joins. */
static void check_callback(void) {
  int runs = 0;
  int *work = &runs;
  weft_forked *forked = weft_fork(note_run, &work, sizeof work);
  CHECK(runs == 0);
  weft_fork_join(forked, note_run, &work, sizeof work);
  CHECK(runs == 1);
  CHECK(weft_self() == NULL);
  CHECK(weft_worker_self() >= 0);
  IS(WEFT_CANNOT_BLOCK, weft_sleep_ns(MILLISECOND));
  IS(WEFT_CANNOT_BLOCK, weft_suspend());
}

static bool publish(weft_thread *self, void *argument) {
  struct parker *one = argument;
  check_callback();
  CHECK(weft_thread_get_state(self) == WEFT_THREAD_BLOCKED);
  atomic_fetch_add(&one->commits, 1);
  if (one->refuses) return false;
  atomic_store(&one->published, self); /* from here on it may be unparked */
  return true;
}

static void park_once(void *argument) {
  struct parker *one = argument;
  weft_thread *self = weft_self();
  OK(weft_ext_park(publish, one, "a test"));
  CHECK(weft_self() == self);
  atomic_fetch_add(&one->goes_on, 1);
}

static weft_thread *wait_for_publication(struct parker *one) {
  weft_thread *parked;
  while ((parked = atomic_load(&one->published)) == NULL) breathe();
  forget(one);
  return parked;
}

static void parks_until_unparked(void) {
  struct parker one = {.refuses = false};
  weft_thread *thread = start(park_once, &one);
  CHECK(wait_for_publication(&one) == thread);
  for (int i = 0; i < 20; ++i) breathe();
  CHECK(atomic_load(&one.goes_on) == 0);
  CHECK(weft_thread_get_state(thread) == WEFT_THREAD_BLOCKED);
  weft_ext_unpark(thread);
  OK(weft_thread_join(thread));
  CHECK(atomic_load(&one.commits) == 1 && atomic_load(&one.goes_on) == 1);
}

/* The one that unparks owns the thread: it runs when that one says so, and not before. */
static void owned_once_unparked(void) {
  struct parker one = {.refuses = false};
  weft_ext_unpark_owned(NULL);
  weft_thread *thread = start(park_once, &one);
  CHECK(wait_for_publication(&one) == thread);
  weft_ext_unpark_owned(thread);
  for (int i = 0; i < 20; ++i) breathe();
  CHECK(atomic_load(&one.goes_on) == 0);
  CHECK(weft_thread_get_state(thread) == WEFT_THREAD_READY);
  OK(weft_ext_dispatch(thread));
  CHECK(atomic_load(&one.goes_on) == 1);
  OK(weft_thread_join(thread));
}

static void park_refused(void *argument) {
  struct parker *one = argument;
  for (int i = 0; i < 100; ++i) {
    park_once(one);
    CHECK(atomic_load(&one->commits) == i + 1 && atomic_load(&one->goes_on) == i + 1);
    if (i % 10 == 0) weft_yield();
  }
}

static void goes_on_when_refused(void) {
  struct parker one = {.refuses = true};
  OK(weft_thread_join(start(park_refused, &one)));
  CHECK(atomic_load(&one.goes_on) == 100);
  if (weft_self() != NULL) park_once(&one); /* the adopted caller is a ULT, too */
}

/* ---- unparked while commit runs ---- */

struct hasty {
  weft_thread *_Atomic published;
  atomic_int is_unparked, is_over;
};

static void *unpark_at_once(void *argument) {
  struct hasty *one = argument;
  weft_thread *parked;
  while ((parked = atomic_load(&one->published)) == NULL) sched_yield();
  weft_ext_unpark(parked);
  atomic_store(&one->is_unparked, 1);
  return NULL;
}

static bool publish_and_linger(weft_thread *self, void *argument) {
  struct hasty *one = argument;
  atomic_store(&one->published, self);
  while (atomic_load(&one->is_unparked) == 0) sched_yield();
  for (int i = 0; i < 20; ++i) sched_yield(); /* time for another worker to do the wrong thing */
  atomic_store(&one->is_over, 1);
  return true;
}

static void park_hastily(void *argument) {
  struct hasty *one = argument;
  OK(weft_ext_park(publish_and_linger, one, NULL));
  CHECK(atomic_load(&one->is_over) == 1);
}

static void unparked_before_commit_is_over(void) {
  for (int round = 0; round < 30; ++round) {
    struct hasty one = {NULL, 0, 0};
    pthread_t other;
    CHECK(pthread_create(&other, NULL, unpark_at_once, &one) == 0);
    OK(weft_thread_join(start(park_hastily, &one)));
    CHECK(pthread_join(other, NULL) == 0);
  }
}

/* ---- from an OS thread outside, and from other ULTs, again and again ---- */

enum { PARKERS = 4, ROUNDS = 500 };

static void park_often(void *argument) {
  for (int i = 0; i < ROUNDS; ++i) park_once(argument);
}

static void unpark_all(struct parker *all, int first, int step) {
  for (int i = 0; i < ROUNDS; ++i) {
    for (int j = first; j < PARKERS; j += step) weft_ext_unpark(wait_for_publication(&all[j]));
  }
}

static void *unpark_outside(void *argument) {
  unpark_all(argument, 0, 2);
  return NULL;
}
static void unpark_inside(void *argument) { unpark_all(argument, 1, 2); }

static void anybody_unparks(void) {
  static struct parker all[PARKERS];
  weft_thread *threads[PARKERS];
  for (int i = 0; i < PARKERS; ++i) {
    atomic_store(&all[i].goes_on, 0);
    threads[i] = start(park_often, &all[i]);
  }
  pthread_t outside;
  CHECK(pthread_create(&outside, NULL, unpark_outside, all) == 0);
  weft_thread *inside = start(unpark_inside, all);
  OK(weft_thread_join_many(threads, PARKERS));
  OK(weft_thread_join(inside));
  CHECK(pthread_join(outside, NULL) == 0);
  for (int i = 0; i < PARKERS; ++i) CHECK(atomic_load(&all[i].goes_on) == ROUNDS);
}

/* ---- unpark and yield to ---- */

static atomic_int turn, turn_of_parked;

static void park_and_note_turn(void *argument) {
  park_once(argument);
  atomic_store(&turn_of_parked, atomic_fetch_add(&turn, 1));
}
static void note_turn(void *argument) {
  (void)argument;
  atomic_fetch_add(&turn, 1);
}

/* argument: counts those that found themselves behind the ready one, which came after the parked. */
static void hand_over(void *argument) {
  struct parker one = {.refuses = false};
  atomic_store(&turn, 0);
  weft_thread *parked = start(park_and_note_turn, &one);
  wait_for_publication(&one);
  weft_thread *ready = start(note_turn, NULL);
  weft_ext_unpark(parked);
  OK(weft_yield_to(parked)); /* runs before the ready ones; the caller goes behind them */
  CHECK(atomic_load(&turn) >= 1);
  *(int *)argument += atomic_load(&turn) == 2 && atomic_load(&turn_of_parked) == 0;
  OK(weft_thread_join(ready));
  OK(weft_thread_join(parked));
}

/* Now and then a worker runs the unit that has waited longest, which here is the caller or the ready
 * one: at every phase of that, and only then. */
static void hand_over_at_each_phase(void *argument) {
  enum { phases = 128 };
  int behind = 0;
  (void)argument;
  for (int yields = 0; yields < phases; ++yields) {
    hand_over(&behind);
    weft_yield();
  }
  CHECK(behind >= phases * 9 / 10);
}

static void unparks_and_yields(void) {
  if (weft_worker_count() == 1) {
    hand_over_at_each_phase(NULL);
    OK(weft_thread_join(start(hand_over_at_each_phase, NULL)));
    return;
  }
  for (int i = 0; i < 200; ++i) { /* another worker may run it sooner: it runs all the same */
    struct parker one = {.refuses = false};
    weft_thread *thread = start(park_once, &one);
    weft_ext_unpark(wait_for_publication(&one));
    const weft_status yielded = weft_yield_to(thread);
    CHECK(yielded == WEFT_OK || yielded == WEFT_AGAIN || yielded == WEFT_INVALID);
    OK(weft_thread_join(thread));
    CHECK(atomic_load(&one.goes_on) == 1);
  }
}

/* ---- with a lock that the waker must take ---- */

struct slot {
  _Atomic uint32_t lock;
  weft_thread *waits; /* inside the lock, as what follows */
  int filled, taken;
};

static void lock_slot(struct slot *one) {
  while (atomic_exchange(&one->lock, 1) != 0) sched_yield(); /* its holder needs no turn of this worker's */
}

static void take_often(void *argument) {
  struct slot *one = argument;
  for (int i = 0; i < ROUNDS; ++i) {
    lock_slot(one);
    if (one->filled == 0) {
      OK(weft_ext_park_unlocking((uint32_t *)&one->lock, &one->waits, "a slot"));
      lock_slot(one);
    }
    CHECK(one->waits == NULL && one->filled == 1);
    one->filled = 0;
    ++one->taken;
    atomic_store(&one->lock, 0);
  }
}

static void *fill_often(void *argument) {
  struct slot *one = argument;
  for (int i = 0; i < ROUNDS;) {
    lock_slot(one);
    const bool fills = one->filled == 0;
    weft_thread *const waits = one->waits;
    if (fills) {
      one->filled = 1;
      one->waits = NULL;
    }
    atomic_store(&one->lock, 0);
    if (!fills) {
      breathe();
      continue;
    }
    if (waits != NULL) weft_ext_unpark(waits);
    ++i;
  }
  return NULL;
}

static void parks_with_a_lock(void) {
  struct slot one = {0, NULL, 0, 0};
  weft_thread *thread = start(take_often, &one);
  pthread_t outside;
  CHECK(pthread_create(&outside, NULL, fill_often, &one) == 0);
  OK(weft_thread_join(thread));
  CHECK(pthread_join(outside, NULL) == 0);
  CHECK(one.taken == ROUNDS);
}

/* ---- refusals ---- */

static void *refuse_outside(void *unused) {
  (void)unused;
  IS(WEFT_CANNOT_BLOCK, weft_ext_park(publish, NULL, NULL));
  uint32_t lock = 1;
  weft_thread *self = NULL;
  IS(WEFT_CANNOT_BLOCK, weft_ext_park_unlocking(&lock, &self, "never"));
  CHECK(lock == 1 && self == NULL);
  return NULL;
}
static void refuse_in_tasklet(void *unused) { refuse_outside(unused); }

static void refuses(void) {
  struct parker one = {.refuses = false};
  weft_thread *thread = start(park_once, &one);
  CHECK(wait_for_publication(&one) == thread);
  IS(WEFT_INVALID, weft_ext_park(NULL, NULL, NULL));
  uint32_t lock = 1;
  IS(WEFT_INVALID, weft_ext_park_unlocking(&lock, NULL, "never"));
  IS(WEFT_INVALID, weft_ext_park_unlocking(&lock, &thread, NULL));
  CHECK(lock == 1);
  weft_ext_unpark(NULL);
  weft_thread *tasklet;
  OK(weft_tasklet_create(refuse_in_tasklet, thread, NULL, &tasklet));
  OK(weft_thread_join(tasklet));
  pthread_t other;
  CHECK(pthread_create(&other, NULL, refuse_outside, thread) == 0);
  CHECK(pthread_join(other, NULL) == 0);
  CHECK(weft_thread_get_state(thread) == WEFT_THREAD_BLOCKED && atomic_load(&one.goes_on) == 0);
  weft_ext_unpark(thread);
  OK(weft_thread_join(thread));
}

static void all(void) {
  RUN(parks_until_unparked);
  RUN(owned_once_unparked);
  RUN(goes_on_when_refused);
  RUN(unparked_before_commit_is_over);
  RUN(anybody_unparks);
  RUN(unparks_and_yields);
  RUN(parks_with_a_lock);
  RUN(refuses);
}

int main(void) {
  IS(WEFT_CANNOT_BLOCK, weft_ext_park(publish, NULL, NULL));
  with_workers("one worker", 1, all);
  with_workers("three workers", 3, all);
  return 0;
}
