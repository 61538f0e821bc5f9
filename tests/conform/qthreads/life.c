/* qthread_initialize, qthread_finalize and what is true outside of them. */
#include <pthread.h>

#include <qthread/qloop.h>

#include <weft/weft.h>

#include "tasks.h"

static aligned_t seven(void *argument) {
  (void)argument;
  return 7;
}

static void add_range(size_t begin, size_t end, void *sum) { *(size_t *)sum += end - begin; }
static void add_result(size_t begin, size_t end, void *unused, void *sum) {
  (void)unused;
  *(size_t *)sum = end - begin;
}
static void add_sizes(void *restrict sum, const void *restrict other) { *(size_t *)sum += *(const size_t *)other; }

/* No task can be made: the caller does all parts. */
static void loops_without_a_runtime(void) {
  size_t sum = 0, counted = 0;
  qt_loop(0, 7, add_range, &sum);
  qt_loop_balance(0, 7, add_range, &sum);
  CHECK(sum == 14);
  qt_loopaccum_balance(0, 7, sizeof counted, &counted, add_result, NULL, add_sizes);
  CHECK(counted == 7);
}

static void without_a_runtime(void) {
  loops_without_a_runtime();
  aligned_t word = 5, seen = 0;
  IS(QTHREAD_NOT_ALLOWED, qthread_fork(seven, NULL, &word));
  CHECK(qthread_num_shepherds() == 0 && qthread_num_workers() == 0);
  CHECK(qthread_shep() == NO_SHEPHERD && qthread_worker(NULL) == NO_WORKER && qthread_id() == QTHREAD_NULL_TASK_ID);
  CHECK(qthread_get_tasklocal(8) == NULL && qthread_size_tasklocal() == 0 && qthread_retloc() == NULL);
  IS(QTHREAD_NOT_ALLOWED, qthread_migrate_to(0));
  IS(QTHREAD_BADARGS, qthread_disable_shepherd(0));
  IS(QTHREAD_BADARGS, qthread_disable_worker(0));
  CHECK(qthread_readstate(TOTAL_SHEPHERDS) == 0 && qthread_readstate(TOTAL_WORKERS) == 0);
  OK(qthread_readFF(&seen, &word));
  CHECK(seen == 5);
  qthread_finalize();
}

static void *initialize_outside(void *argument) {
  OK(qthread_initialize());
  qthread_finalize();
  CHECK(qthread_num_shepherds() == *(qthread_shepherd_id_t *)argument);
  return NULL;
}

static aligned_t finalize(void *argument) {
  (void)argument;
  qthread_finalize();
  return qthread_num_shepherds();
}

static void a_second_start_does_nothing(void) {
  qthread_shepherd_id_t count = qthread_num_shepherds();
  const unsigned id = qthread_id();
  OK(qthread_initialize());
  OK(qthread_init(1));
  CHECK(qthread_num_shepherds() == count && qthread_id() == id && qthread_shep() == 0);
  pthread_t outside;
  CHECK(pthread_create(&outside, NULL, initialize_outside, &count) == 0);
  CHECK(pthread_join(outside, NULL) == 0);
  aligned_t left = 0;
  OK(qthread_fork(finalize, NULL, &left)); /* only the main task ends the runtime */
  OK(qthread_readFF(&left, &left));
  CHECK(left == count);
}

static aligned_t add_after_a_yield(void *argument) {
  qthread_yield();
  return (aligned_t)atomic_fetch_add((atomic_int *)argument, 1);
}

static aligned_t wait_for_ever(void *argument) { return (aligned_t)qthread_readFF(NULL, argument); }
static aligned_t yield_for_ever(void *argument) {
  atomic_store((atomic_int *)argument, 1);
  while (atomic_load((atomic_int *)argument) != 0) qthread_yield();
  return 0;
}

static void tasks_that_have_not_ended_are_dropped(void) {
  static aligned_t never;
  static atomic_int has_started;
  atomic_store(&has_started, 0);
  OK(qthread_empty(&never));
  OK(qthread_fork(wait_for_ever, &never, NULL));
  OK(qthread_fork(yield_for_ever, &has_started, NULL));
  OK(qthread_fork_precond(seven, NULL, NULL, 1, &never));
  await_number(&has_started, 1);
  qthread_finalize();
  OK(qthread_fill(&never));
  CHECK(qthread_num_shepherds() == 0);
}

/* ---- an OS thread begins, and another one ends ---- */

enum way_to_go_on { by_ending, by_finalizing, by_initializing };

struct beginner {
  enum way_to_go_on next;
  int waits_in_call; /* for `end`, in a call of Qthreads; else for `may_go_on`, outside of all */
  atomic_int has_begun, may_go_on;
  aligned_t end;
};

static void *begin_and_wait(void *argument) {
  struct beginner *me = argument;
  OK(qthread_initialize());
  CHECK(qthread_shep() == 0);
  atomic_store(&me->has_begun, 1);
  if (me->waits_in_call) {
    OK(qthread_readFF(NULL, &me->end));
  } else {
    while (atomic_load(&me->may_go_on) == 0) sched_yield();
  }
  CHECK(qthread_num_shepherds() == 0 && qthread_shep() == NO_SHEPHERD);
  IS(QTHREAD_NOT_ALLOWED, qthread_fork(seven, NULL, NULL));
  if (me->next == by_initializing) {
    OK(qthread_initialize());
    run_tasks(20, seven, NULL);
  }
  if (me->next != by_ending) {
    qthread_finalize();
    without_a_runtime();
  }
  return NULL;
}

static aligned_t count_for_ever(void *argument) {
  for (;;) {
    atomic_fetch_add((atomic_int *)argument, 1);
    qthread_yield();
  }
  return 0;
}

static void another_os_thread_ends_it(struct beginner *first) {
  static aligned_t never;
  static atomic_int counts[8];
  pthread_t thread;
  OK(qthread_empty(&first->end));
  OK(qthread_empty(&never));
  CHECK(pthread_create(&thread, NULL, begin_and_wait, first) == 0);
  while (atomic_load(&first->has_begun) == 0) sched_yield();
  const qthread_shepherd_id_t shepherds = qthread_num_shepherds();
  CHECK(shepherds >= 1 && qthread_shep() == NO_SHEPHERD);
  for (int i = 0; i < 8; ++i) OK(qthread_fork_to(count_for_ever, &counts[i], NULL, (qthread_shepherd_id_t)(i % shepherds)));
  OK(qthread_fork(wait_for_ever, &never, NULL));
  OK(qthread_fork_precond(seven, NULL, NULL, 1, &never));
  if (first->waits_in_call) /* then all shepherds run tasks */
    for (int i = 0; i < 8; ++i)
      while (atomic_load(&counts[i]) == 0) sched_yield();
  qthread_finalize();
  int seen[8];
  for (int i = 0; i < 8; ++i) seen[i] = atomic_load(&counts[i]);
  without_a_runtime();
  IS(QTHREAD_NOT_ALLOWED, qthread_initialize()); /* the first OS thread has not ended it */
  usleep(2000);
  for (int i = 0; i < 8; ++i) CHECK(atomic_load(&counts[i]) == seen[i]);
  OK(qthread_fill(&never));
  OK(qthread_fill(&first->end));
  atomic_store(&first->may_go_on, 1);
  CHECK(pthread_join(thread, NULL) == 0);
  for (int i = 0; i < 8; ++i) CHECK(atomic_load(&counts[i]) == seen[i]);
  OK(qthread_initialize());
  run_tasks(20, seven, NULL);
  qthread_finalize();
}

static void other_os_threads_end_it(void) {
  for (int way = 0; way < 6; ++way) {
    struct beginner first = {.next = (enum way_to_go_on)(way / 2), .waits_in_call = way % 2};
    another_os_thread_ends_it(&first);
  }
}

static void *begin_and_end(void *argument) {
  static aligned_t end;
  OK(qthread_initialize());
  atomic_store((atomic_int *)argument, 0);
  for (int i = 0; i < 20; ++i) OK(qthread_fork(add_after_a_yield, argument, i == 0 ? &end : NULL));
  return NULL; /* the tasks end before its OS thread does */
}

static void an_os_thread_that_ends_ends_it(void) {
  static atomic_int count;
  for (int round = 0; round < 3; ++round) {
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, begin_and_end, &count) == 0);
    CHECK(pthread_join(thread, NULL) == 0);
    CHECK(atomic_load(&count) == 20);
    without_a_runtime();
  }
}

static void *end_it(void *unused) {
  (void)unused;
  qthread_finalize();
  CHECK(qthread_num_shepherds() == 0);
  return NULL;
}

static void many_end_it_at_once(void) {
  enum { THREADS = 4 };
  for (int round = 0; round < 10; ++round) {
    pthread_t threads[THREADS];
    OK(qthread_initialize());
    for (int i = 0; i < 20; ++i) OK(qthread_fork(seven, NULL, NULL));
    for (int i = 0; i < THREADS; ++i) CHECK(pthread_create(&threads[i], NULL, end_it, NULL) == 0);
    if (round % 2 == 0) qthread_finalize();
    for (int i = 0; i < THREADS; ++i) CHECK(pthread_join(threads[i], NULL) == 0);
    CHECK(qthread_num_shepherds() == 0);
    qthread_finalize();
  }
}

static void *begin_and_leave(void *both_are_here) {
  OK(qthread_initialize());
  pthread_barrier_wait(both_are_here);
  return NULL; /* ends the runtime, too */
}

/* The OS thread of the main task ends while another one finalizes the same runtime. */
static void an_os_thread_ends_while_another_finalizes(void) {
  pthread_barrier_t both_are_here;
  CHECK(pthread_barrier_init(&both_are_here, NULL, 2) == 0);
  for (int round = 0; round < (IS_SLOW ? 10 : 100); ++round) {
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, begin_and_leave, &both_are_here) == 0);
    pthread_barrier_wait(&both_are_here);
    for (int i = 0; i < round % 10; ++i) sched_yield();
    qthread_finalize();
    CHECK(pthread_join(thread, NULL) == 0);
    without_a_runtime();
    OK(qthread_initialize());
    qthread_finalize();
  }
  CHECK(pthread_barrier_destroy(&both_are_here) == 0);
}

static aligned_t change_for_ever(void *argument) {
  atomic_store((atomic_int *)argument, 1);
  while (qthread_num_shepherds() != 0) {
    (void)qthread_disable_shepherd(1);
    qthread_enable_shepherd(1);
    (void)qthread_fork_to(seven, NULL, NULL, 0);
    qthread_yield();
  }
  return 0;
}

/* The end comes while a task changes what is active: the next life can do so, too. */
static void shepherds_change_at_the_end(void) {
  for (int round = 0; round < 20; ++round) {
    static atomic_int has_begun;
    atomic_store(&has_begun, 0);
    OK(qthread_initialize());
    OK(qthread_fork(change_for_ever, &has_begun, NULL));
    while (atomic_load(&has_begun) == 0) qthread_yield();
    usleep((unsigned)round * 20);
    qthread_finalize();
  }
  OK(qthread_initialize());
  if (qthread_num_shepherds() > 1) OK(qthread_disable_shepherd(1));
  run_tasks(20, seven, NULL);
  qthread_finalize();
}

struct outside_wait {
  aligned_t word;
  atomic_int is_near;
};

static void *wait_outside(void *argument) {
  struct outside_wait *wait = argument;
  aligned_t seen = 0;
  atomic_store(&wait->is_near, 1);
  OK(qthread_readFE(&seen, &wait->word));
  CHECK(seen == 7);
  return NULL;
}

/* An OS thread that waits at a word is woken by a fill after the end, as before. */
static void a_wait_outlives_the_end(void) {
  struct outside_wait wait = {0, 0};
  pthread_t outside;
  OK(qthread_initialize());
  OK(qthread_empty(&wait.word));
  CHECK(pthread_create(&outside, NULL, wait_outside, &wait) == 0);
  await_number(&wait.is_near, 1);
  usleep(1000); /* it waits, most of the times */
  qthread_finalize();
  OK(qthread_writeEF_const(&wait.word, 7));
  CHECK(pthread_join(outside, NULL) == 0);
  OK(qthread_fill(&wait.word));
}

/* Weft's own runtime goes on: its threads are as OS threads outside. */
static void thread_of_weft(void *argument) {
  without_a_runtime();
  atomic_fetch_add((atomic_int *)argument, 1);
}

static void within_a_runtime_of_the_program(void) {
  atomic_int ran = 0;
  CHECK(weft_init(NULL) == WEFT_OK);
  for (int round = 0; round < 4; ++round) {
    OK(qthread_initialize());
    run_tasks(20, seven, NULL);
    pthread_t outside;
    CHECK(pthread_create(&outside, NULL, end_it, NULL) == 0);
    if (round % 2 == 0) qthread_finalize();
    CHECK(pthread_join(outside, NULL) == 0);
    qthread_finalize();
    weft_thread *thread = NULL;
    CHECK(weft_thread_create(thread_of_weft, &ran, NULL, &thread) == WEFT_OK);
    CHECK(weft_thread_join(thread) == WEFT_OK);
  }
  CHECK(weft_finalize() == WEFT_OK && atomic_load(&ran) == 4);
}

static void *without_a_runtime_outside(void *unused) {
  without_a_runtime();
  return unused;
}

/* ---- tasks of an earlier life ---- */

static aligned_t count_a_start(void *argument) { return (aligned_t)atomic_fetch_add((atomic_int *)argument, 1); }

/* The word of a dropped task is filled when the next runtime runs. */
static void a_dropped_task_does_not_start_later(void) {
  static aligned_t never;
  static atomic_int starts;
  for (int round = 0; round < 5; ++round) {
    OK(qthread_initialize());
    OK(qthread_empty(&never));
    OK(qthread_fork_precond(count_a_start, &starts, NULL, 1, &never));
    qthread_finalize();
    OK(qthread_initialize());
    OK(qthread_fill(&never));
    run_tasks(20, seven, NULL);
    CHECK(atomic_load(&starts) == 0);
    qthread_finalize();
  }
}

static void as_many_shepherds_as_asked_for(void) {
  OK(qthread_init(3));
  CHECK(qthread_num_shepherds() == 3);
  qthread_finalize();
}

static pthread_barrier_t both;

/* Of two callers one starts the runtime; the call of the other one counts, and so its
 * qthread_finalize takes that back alone. */
static void *start_beside_another(void *unused) {
  for (int round = 0; round < (IS_SLOW ? 10 : 100); ++round) {
    pthread_barrier_wait(&both);
    OK(qthread_initialize());
    const bool has_started = qthread_shep() != NO_SHEPHERD;
    pthread_barrier_wait(&both);
    if (!has_started) qthread_finalize();
    pthread_barrier_wait(&both);
    if (has_started) run_tasks(2, seven, NULL);
    if (has_started) qthread_finalize();
    pthread_barrier_wait(&both);
  }
  return unused;
}

static void two_start_at_once(void) {
  pthread_t two[2];
  CHECK(pthread_barrier_init(&both, NULL, 2) == 0);
  for (int i = 0; i < 2; ++i) CHECK(pthread_create(&two[i], NULL, start_beside_another, NULL) == 0);
  for (int i = 0; i < 2; ++i) CHECK(pthread_join(two[i], NULL) == 0);
  CHECK(pthread_barrier_destroy(&both) == 0);
}

static void method_calls(void) {
  aligned_t word = 0;
  syncvar_t variable = SYNCVAR_EMPTY_INITIALIZER;
  uint64_t seen = 0;
  qthread_call_method(seven, NULL, NULL, 0);
  OK(qthread_empty(&word));
  qthread_call_method(seven, NULL, &word, 0);
  CHECK(qthread_feb_status(&word) == 1 && word == 7);
  qthread_call_method(seven, NULL, &variable, QTHREAD_SPAWN_RET_SYNCVAR_T);
  OK(qthread_syncvar_readFF(&seen, &variable));
  CHECK(seen == 7);
}

int main(void) {
  without_a_runtime();
  for (int round = 0; round < 3; ++round) {
    OK(qthread_initialize());
    a_second_start_does_nothing();
    method_calls();
    run_tasks(20, seven, NULL);
    qthread_finalize();
    qthread_finalize();
    without_a_runtime();
  }
  OK(qthread_initialize());
  tasks_that_have_not_ended_are_dropped();
  a_dropped_task_does_not_start_later();
  as_many_shepherds_as_asked_for();
  other_os_threads_end_it();
  an_os_thread_that_ends_ends_it();
  many_end_it_at_once();
  an_os_thread_ends_while_another_finalizes();
  two_start_at_once();
  shepherds_change_at_the_end();
  a_wait_outlives_the_end();
  within_a_runtime_of_the_program();
  pthread_t outside;
  CHECK(pthread_create(&outside, NULL, without_a_runtime_outside, NULL) == 0);
  CHECK(pthread_join(outside, NULL) == 0);
  OK(qthread_initialize()); /* ended at exit */
  return 0;
}
