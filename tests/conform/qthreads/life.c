/* qthread_initialize, qthread_finalize and what is true outside of them. */
#include <pthread.h>

#include "tasks.h"

static aligned_t seven(void *argument) {
  (void)argument;
  return 7;
}

static void without_a_runtime(void) {
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
  OK(qthread_initialize()); /* ended at exit */
  return 0;
}
