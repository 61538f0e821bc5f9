/* Forks from C: results, order of joins, stolen children, their identity, what they may do,
 * starvation without a clock. */
#include <weft/hot.h>

#include <pthread.h>

#include "check.h"
#include "fork_fib.h"

/* ---- results --------------------------------------------------------------------------------- */

static void recursion(void) {
  for (int round = 0; round < (IS_SLOW ? 2 : 20); ++round) CHECK(fib(18) == 2584);
}

struct wide {
  long values[WEFT_FORK_BYTES / sizeof(long)];
};
static void double_all(void *work) {
  struct wide *one = work;
  for (size_t i = 0; i < sizeof one->values / sizeof one->values[0]; ++i) one->values[i] *= 2;
}

enum { many = 3000 };

/* order: -1 last one first, 1 first one first, else steps that visit all. */
static void join_batch(int step) {
  static weft_forked *forked[many];
  for (long i = 0; i < many; ++i) {
    const struct wide work = {{i, i + 1}};
    forked[i] = weft_fork(double_all, &work, sizeof work);
  }
  for (long k = 0; k < many; ++k) {
    const long i = step == -1 ? many - 1 - k : k * step % many;
    struct wide work = {{i, i + 1}};
    weft_fork_join(forked[i], double_all, &work, sizeof work);
    CHECK(work.values[0] == 2 * i && work.values[1] == 2 * (i + 1));
  }
}

static void batches(void) {
  for (int round = 0; round < 5; ++round) {
    join_batch(-1);
    join_batch(1);
    join_batch(7);
  }
}

static void more_than_fit(void) {
  enum { count = 20000 };
  weft_forked **forked = malloc(count * sizeof *forked);
  for (long i = 0; i < count; ++i) {
    const long value = i % 5;
    forked[i] = weft_fork(fib_run, &value, sizeof value);
  }
  for (long i = count; i-- > 0;) {
    long value = i % 5;
    weft_fork_join(forked[i], fib_run, &value, sizeof value);
    CHECK(value == fib(i % 5));
  }
  free(forked);
  CHECK(fib(10) == 55);
}

/* ---- what children may do -------------------------------------------------------------------- */

static weft_mutex mutex = WEFT_MUTEX_INIT;
static weft_key key;
static atomic_int running;

static void yield_some(void *work) {
  for (int i = 0; i < 3; ++i) weft_yield();
  *(long *)work += 1;
}
static void lock_and_add(void *work) {
  long *total = *(long **)work;
  OK(weft_mutex_lock(&mutex));
  const long seen = *total;
  weft_yield();
  *total = seen + 1;
  OK(weft_mutex_unlock(&mutex));
}

static void blocking(void) {
  long total = 0;
  for (int round = 0; round < 20; ++round) {
    weft_forked *forked[40];
    long *where = &total;
    for (long i = 0; i < 40; ++i) {
      forked[i] = i % 2 ? weft_fork(lock_and_add, &where, sizeof where) : weft_fork(yield_some, &i, sizeof i);
    }
    if (round % 2) weft_yield();
    for (long i = 40; i-- > 0;) {
      long value = i;
      if (i % 2) {
        weft_fork_join(forked[i], lock_and_add, &where, sizeof where);
      } else {
        weft_fork_join(forked[i], yield_some, &value, sizeof value);
        CHECK(value == i + 1);
      }
    }
  }
  CHECK(total == 20 * 20);
}

struct seen {
  weft_thread *self;
  void *value;
  bool may_unlock;
};
static void look(void *work) {
  struct seen *seen = work;
  seen->self = weft_self();
  CHECK(weft_hot_self() == seen->self); /* also of one that was taken, whose handle is not at hand */
  seen->value = weft_key_get(key);
  atomic_store(&running, 1);
}

/* The parked forker's children are ready: a yield is enough for another worker, or this one, to
 * run them. */
static void identity_of_one(void *out) {
  int mine = 0;
  OK(weft_key_set(key, &mine));
  for (int round = 0; round < 50; ++round) {
    struct seen seen = {0};
    weft_forked *forked = weft_fork(look, &seen, sizeof seen);
    if (round % 2) weft_yield();
    weft_fork_join(forked, look, &seen, sizeof seen);
    CHECK(seen.self == weft_self());
    CHECK(seen.value == &mine);
    CHECK(weft_key_get(key) == &mine);
  }
  add_one(out);
}

/* A forker that yields to a thread by name: its forks stay its own, although that thread forks
 * and blocks meanwhile. */
struct named {
  weft_thread *other;
  weft_event may_end;
};
static void fork_and_wait(void *argument) {
  struct named *scene = argument;
  struct seen seen = {0};
  weft_forked *forked = weft_fork(look, &seen, sizeof seen);
  OK(weft_event_wait(&scene->may_end));
  weft_fork_join(forked, look, &seen, sizeof seen);
  CHECK(seen.self == weft_self());
}
static void fork_and_yield_to(void *argument) {
  struct named *scene = argument;
  struct seen seen = {0};
  weft_forked *forked = weft_fork(look, &seen, sizeof seen);
  const weft_status result = weft_yield_to(scene->other);
  CHECK(result == WEFT_OK || result == WEFT_AGAIN); /* again: another worker has it */
  OK(weft_event_set(&scene->may_end));
  weft_fork_join(forked, look, &seen, sizeof seen);
  CHECK(seen.self == weft_self());
}
static void identity_beyond_yield_to(void) {
  OK(weft_key_create(NULL, &key));
  for (int round = 0; round < 20; ++round) {
    struct named scene = {NULL, WEFT_EVENT_INIT};
    scene.other = start(fork_and_wait, &scene);
    weft_thread *const forker = start(fork_and_yield_to, &scene);
    wait_for_state(forker, WEFT_THREAD_ENDED); /* a join would run it here, where it yields to no thread by name */
    OK(weft_thread_join(forker));
    OK(weft_thread_join(scene.other));
  }
  OK(weft_key_delete(key));
}

static void identity(void) {
  OK(weft_key_create(NULL, &key));
  atomic_int ended = 0;
  weft_thread *threads[8];
  for (int i = 0; i < 8; ++i) threads[i] = start(identity_of_one, &ended);
  identity_of_one(&ended);
  for (int i = 0; i < 8; ++i) OK(weft_thread_join(threads[i]));
  CHECK(atomic_load(&ended) == 9);
  OK(weft_key_delete(key));
}

static weft_mutex held = WEFT_MUTEX_RECURSIVE_INIT;
static void unlock_it(void *work) {
  (void)work;
  OK(weft_mutex_unlock(&held));
}
/* A child gives back what its forker holds, wherever it runs. */
static void ownership(void) {
  for (int round = 0; round < 50; ++round) {
    char nothing_to_carry = 0;
    OK(weft_mutex_lock(&held));
    weft_forked *forked = weft_fork(unlock_it, &nothing_to_carry, 1);
    if (round % 2) weft_yield();
    weft_fork_join(forked, unlock_it, &nothing_to_carry, 1);
    OK(weft_mutex_try_lock(&held));
    OK(weft_mutex_unlock(&held));
  }
}

/* Held before the fork, and at its join: the child, wherever it runs, and however many wait for
 * the mutex, locks it at once. */
static void lock_once_more(void *work) {
  (void)work;
  OK(weft_mutex_lock(&held));
  OK(weft_mutex_unlock(&held));
}
static void hold_and_fork(void *argument) {
  (void)argument;
  for (int round = 0; round < 50; ++round) {
    char nothing_to_carry = 0;
    OK(weft_mutex_lock(&held));
    weft_forked *forked = weft_fork(lock_once_more, &nothing_to_carry, 1);
    if (round % 2) weft_yield();
    weft_fork_join(forked, lock_once_more, &nothing_to_carry, 1);
    OK(weft_mutex_unlock(&held));
  }
}
static void held_across_the_join(void) {
  weft_thread *threads[8];
  for (int i = 0; i < 8; ++i) threads[i] = start(hold_and_fork, NULL);
  OK(weft_thread_join_many(threads, 8));
  OK(weft_mutex_try_lock(&held));
  OK(weft_mutex_unlock(&held));
}

/* A fork that its forker left, and the forker, are two callers for a plain mutex. */
struct left_behind {
  weft_mutex mutex;
  weft_event is_held, may_end;
};

static void hold_until_told(void *work) {
  struct left_behind *all = *(struct left_behind **)work;
  OK(weft_mutex_lock(&all->mutex));
  OK(weft_event_set(&all->is_held));
  OK(weft_event_wait(&all->may_end));
  OK(weft_mutex_unlock(&all->mutex));
}

static void wait_for_ones_own_fork(void *argument) {
  struct left_behind *all = argument;
  weft_forked *forked = weft_fork(hold_until_told, &all, sizeof all);
  OK(weft_event_wait(&all->is_held));
  IS(WEFT_TIMEOUT, weft_mutex_lock_until(&all->mutex, weft_deadline_in(MILLISECOND)));
  OK(weft_event_set(&all->may_end));
  weft_fork_join(forked, hold_until_told, &all, sizeof all);
}

static void held_by_a_fork_that_was_left(void) {
  struct left_behind all = {WEFT_MUTEX_INIT, WEFT_EVENT_INIT, WEFT_EVENT_INIT};
  OK(weft_thread_join(start(wait_for_ones_own_fork, &all)));
}

/* ---- starvation ------------------------------------------------------------------------------ */

static atomic_int sibling;
static void run_sibling(void *work) {
  (void)work;
  IS(WEFT_DEADLOCK, weft_thread_join(weft_self()));
  atomic_store(&sibling, 1);
}
/* The forker stays in one call until its child ran: another worker must take it. */
static void stay(void) {
  for (int round = 0; round < 200; ++round) {
    char nothing_to_carry = 0;
    atomic_store(&sibling, 0);
    weft_forked *forked = weft_fork(run_sibling, &nothing_to_carry, 1);
    while (!atomic_load(&sibling)) sched_yield();
    weft_fork_join(forked, run_sibling, &nothing_to_carry, 1);
  }
}
static void stay_as_thread(void *argument) {
  (void)argument;
  stay();
}
static void starvation(void) {
  if (weft_worker_count() < 2) return;
  stay();
  OK(weft_thread_join(start(stay_as_thread, NULL)));
}
/* Workers that sleep hear of a fork. */
static void sleepers(void) {
  if (weft_worker_count() < 2) return;
  for (int round = 0; round < 10; ++round) {
    OK(weft_sleep_ns(2 * MILLISECOND));
    char nothing_to_carry = 0;
    atomic_store(&sibling, 0);
    weft_forked *forked = weft_fork(run_sibling, &nothing_to_carry, 1);
    while (!atomic_load(&sibling)) sched_yield();
    weft_fork_join(forked, run_sibling, &nothing_to_carry, 1);
  }
}

/* Siblings that lock a recursive mutex at once count together, and keep strangers out. */
static atomic_int siblings_inside, strangers_met, is_over;
static void lock_again_and_again(void *work) {
  for (int i = 0; i < *(long *)work; ++i) {
    OK(weft_mutex_lock(&held));
    OK(weft_mutex_lock(&held));
    atomic_fetch_add(&siblings_inside, 1);
    if (i % 16 == 0) weft_yield();
    atomic_fetch_sub(&siblings_inside, 1);
    OK(weft_mutex_unlock(&held));
    OK(weft_mutex_unlock(&held));
  }
}
static void look_for_siblings(void *argument) {
  (void)argument;
  while (!atomic_load(&is_over)) {
    OK(weft_mutex_lock(&held));
    if (atomic_load(&siblings_inside) != 0) atomic_fetch_add(&strangers_met, 1);
    OK(weft_mutex_unlock(&held));
    weft_yield();
  }
}
static void siblings_and_strangers(void) {
  long rounds = 500;
  atomic_store(&is_over, 0);
  weft_thread *stranger = start(look_for_siblings, NULL);
  weft_forked *first = weft_fork(lock_again_and_again, &rounds, sizeof rounds);
  weft_forked *second = weft_fork(lock_again_and_again, &rounds, sizeof rounds);
  lock_again_and_again(&rounds);
  weft_fork_join(second, lock_again_and_again, &rounds, sizeof rounds);
  weft_fork_join(first, lock_again_and_again, &rounds, sizeof rounds);
  atomic_store(&is_over, 1);
  OK(weft_thread_join(stranger));
  CHECK(atomic_load(&strangers_met) == 0);
  OK(weft_mutex_try_lock(&held));
  OK(weft_mutex_unlock(&held));
}

/* Locks that are not recursive keep siblings apart: they wait for each other, and are no
 * deadlock. */
static weft_rwlock written = WEFT_RWLOCK_INIT;
static void write_it(void *work) {
  atomic_store((atomic_int *)*(void **)work, 1);
  OK(weft_rwlock_write_lock(&written));
  OK(weft_rwlock_unlock(&written));
}
static void siblings_wait(void) {
  if (weft_worker_count() < 2) return;
  atomic_int has_begun = 0;
  void *work = &has_begun;
  OK(weft_rwlock_write_lock(&written));
  weft_forked *forked = weft_fork(write_it, &work, sizeof work);
  while (!atomic_load(&has_begun)) sched_yield();
  OK(weft_sleep_ns(MILLISECOND));
  OK(weft_rwlock_unlock(&written));
  weft_fork_join(forked, write_it, &work, sizeof work);
}

/* ---- other callers --------------------------------------------------------------------------- */

static void *from_outside(void *argument) {
  CHECK(weft_self() == NULL);
  *(long *)argument = fib(15);
  return NULL;
}
static void outside(void) {
  pthread_t other;
  long result = 0;
  CHECK(pthread_create(&other, NULL, from_outside, &result) == 0);
  CHECK(pthread_join(other, NULL) == 0);
  CHECK(result == 610);
}

static void as_thread(void *argument) { *(long *)argument = fib(15); }
static void tasklets(void) {
  long results[20];
  weft_thread *tasks[20];
  for (int i = 0; i < 20; ++i) OK(weft_tasklet_create(as_thread, &results[i], NULL, &tasks[i]));
  for (int i = 0; i < 20; ++i) OK(weft_thread_join(tasks[i]));
  for (int i = 0; i < 20; ++i) CHECK(results[i] == 610);
}
static void many_threads(void) {
  long results[50];
  weft_thread *threads[50];
  for (int i = 0; i < 50; ++i) threads[i] = start(as_thread, &results[i]);
  for (int i = 0; i < 50; ++i) OK(weft_thread_join(threads[i]));
  for (int i = 0; i < 50; ++i) CHECK(results[i] == 610);
}

static void body(void) {
  RUN(recursion);
  RUN(batches);
  RUN(more_than_fit);
  RUN(blocking);
  RUN(identity);
  RUN(identity_beyond_yield_to);
  RUN(ownership);
  RUN(held_across_the_join);
  RUN(held_by_a_fork_that_was_left);
  RUN(siblings_and_strangers);
  RUN(siblings_wait);
  RUN(starvation);
  RUN(sleepers);
  RUN(outside);
  RUN(tasklets);
  RUN(many_threads);
}

static void by_domains(void) {
  phase = "domains";
  weft_config config = WEFT_CONFIG_INIT;
  config.workers = 4;
  config.locality = WEFT_LOCALITY_DOMAIN;
  OK(weft_init(&config));
  body();
  OK(weft_finalize());
}

int main(void) {
  CHECK(fib(12) == 144); /* before weft_init: as from outside */
  with_workers("1 worker", 1, body);
  with_workers("2 workers", 2, body);
  with_workers("4 workers", 4, body);
  with_workers("16 workers", 16, body);
  by_domains();
  return 0;
}
