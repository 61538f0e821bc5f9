/* qthread_initialize beside a program's own runtime: by an OS thread that is no worker of it. */
#include <weft/weft.h>

#include "tasks.h"

#include <qthread/qloop.h>

static aligned_t seven(void *argument) {
  (void)argument;
  return 7;
}

static void start_weft(unsigned workers) {
  weft_config config = WEFT_CONFIG_INIT;
  config.workers = workers;
  CHECK(weft_init(&config) == WEFT_OK);
}

static void run_beside(void *(*body)(void *), void *argument) {
  pthread_t library;
  CHECK(pthread_create(&library, NULL, body, argument) == 0);
  CHECK(pthread_join(library, NULL) == 0);
}

/* ---- at the same time ---- */

static atomic_int calls, rounds_ended;

static void *start_at_the_same_time(void *round) {
  const int number = *(int *)round;
  atomic_fetch_add(&calls, 1);
  while (atomic_load(&calls) < 2) sched_yield();
  OK(qthread_initialize());
  CHECK(qthread_shep() == 0 && qthread_worker(NULL) == 0);
  run_tasks(3, seven, NULL);
  /* where qthread_initialize came first, the runtime ends on this OS thread */
  while (weft_thread_id(weft_self()) == 1 && atomic_load(&rounds_ended) == number) qthread_yield();
  qthread_finalize();
  return NULL;
}

/* qthread_initialize waits for the end of the other start, and is then beside it. */
static void starts_at_the_same_time(void) {
  const int rounds = IS_SLOW ? 20 : 40;
  for (int i = 0; i < rounds; ++i) {
    pthread_t library;
    atomic_store(&calls, 0);
    CHECK(pthread_create(&library, NULL, start_at_the_same_time, &i) == 0);
    while (atomic_load(&calls) < 1) sched_yield();
    atomic_fetch_add(&calls, 1);
    CHECK(weft_init(NULL) == WEFT_OK);
    weft_yield();
    CHECK(weft_finalize() == WEFT_OK);
    atomic_fetch_add(&rounds_ended, 1);
    CHECK(pthread_join(library, NULL) == 0);
    CHECK(!weft_is_initialized() && qthread_num_shepherds() == 0);
  }
}

/* ---- all that tasks may do ---- */

static aligned_t where_it_runs(void *argument) {
  (void)argument;
  qthread_yield();
  return qthread_shep();
}

static aligned_t goes_round(void *argument) {
  (void)argument;
  const qthread_shepherd_id_t count = qthread_num_shepherds();
  for (qthread_shepherd_id_t i = 0; i < 2 * count; ++i) {
    OK(qthread_migrate_to(i % count));
    CHECK(qthread_shep() == i % count);
  }
  OK(qthread_migrate_to(NO_SHEPHERD));
  return 7;
}

static aligned_t fib(void *argument) {
  const aligned_t n = (aligned_t)argument;
  aligned_t one, other;
  if (n < 2) return n;
  OK(qthread_fork(fib, (void *)(n - 1), &one));
  OK(qthread_fork(fib, (void *)(n - 2), &other));
  OK(qthread_readFF(&one, &one));
  OK(qthread_readFF(&other, &other));
  return one + other;
}

static void count_indexes(size_t from, size_t end, void *argument) {
  atomic_fetch_add((atomic_int *)argument, (int)(end - from));
}

static void works(void) {
  const qthread_shepherd_id_t count = qthread_num_shepherds();
  aligned_t word;
  CHECK(qthread_shep() == 0 && qthread_worker(NULL) == 0 && qthread_worker_unique(NULL) == 0 && qthread_id() != 0);
  for (qthread_shepherd_id_t i = 0; i < count; ++i) {
    OK(qthread_fork_to(where_it_runs, NULL, &word, i));
    OK(qthread_readFF(&word, &word));
    CHECK(word == i);
  }
  OK(qthread_fork(goes_round, NULL, &word));
  OK(qthread_readFF(NULL, &word));
  CHECK(qthread_shep() == 0);
  OK(qthread_fork(fib, (void *)12, &word));
  OK(qthread_readFF(&word, &word));
  CHECK(word == 144);
  atomic_int indexes = 0;
  qt_loop(0, 100, count_indexes, &indexes);
  qt_loop_balance(0, 100, count_indexes, &indexes);
  CHECK(atomic_load(&indexes) == 200);
  if (count > 1 && qthread_disable_shepherd(1) == QTHREAD_SUCCESS) {
    OK(qthread_fork_to(where_it_runs, NULL, &word, 1));
    OK(qthread_readFF(&word, &word));
    CHECK(word != 1);
    qthread_enable_shepherd(1);
    OK(qthread_fork_to(where_it_runs, NULL, &word, 1));
    OK(qthread_readFF(&word, &word));
    CHECK(word == 1);
  }
}

static void *initialize_and_work(void *unused) {
  for (int round = 0; round < 2; ++round) {
    OK(qthread_initialize());
    OK(qthread_initialize());
    CHECK(weft_self() != NULL);
    works();
    qthread_finalize();
    CHECK(weft_self() == NULL && qthread_num_shepherds() == 0 && qthread_shep() == NO_SHEPHERD);
  }
  return unused;
}

static void runtimes_of_each_size(void) {
  for (unsigned workers = 1; workers <= 5; workers += 2) {
    start_weft(workers);
    run_beside(initialize_and_work, NULL);
    CHECK(weft_worker_self() == 0);
    CHECK(weft_finalize() == WEFT_OK);
  }
}

/* Workers 0 and 5, and the caller in slot 1. */
static void runtimes_with_gaps(void) {
  unsigned number;
  for (int is_beside = 0; is_beside < 2; ++is_beside) {
    start_weft(1);
    for (unsigned i = 1; i <= 5; ++i) CHECK(weft_worker_add(&number) == WEFT_OK && number == i);
    for (unsigned i = 1; i < 5; ++i) CHECK(weft_worker_remove(i) == WEFT_OK);
    if (is_beside) {
      run_beside(initialize_and_work, NULL);
    } else {
      OK(qthread_initialize());
      works();
      qthread_finalize();
    }
    CHECK(weft_finalize() == WEFT_OK);
  }
}

/* ---- ends ---- */

static aligned_t never;
static atomic_int has_started, has_begun, may_go_on;

static aligned_t wait_for_ever(void *argument) { return (aligned_t)qthread_readFF(NULL, argument); }
static aligned_t yield_for_ever(void *argument) {
  atomic_store((atomic_int *)argument, 1);
  while (atomic_load((atomic_int *)argument) != 0) qthread_yield();
  return 0;
}

static void start_endless_tasks(void) {
  atomic_store(&has_started, 0);
  OK(qthread_empty(&never));
  OK(qthread_initialize());
  OK(qthread_fork(wait_for_ever, &never, NULL));
  OK(qthread_fork(yield_for_ever, &has_started, NULL));
  OK(qthread_fork_to(wait_for_ever, &never, NULL, 0));
  OK(qthread_fork_precond(seven, NULL, NULL, 1, &never));
  await_number(&has_started, 1);
}

static void let_tasks_end(void) {
  atomic_store(&has_started, 0);
  OK(qthread_fill(&never));
}

static void *finalize_with_tasks(void *unused) {
  start_endless_tasks();
  qthread_finalize();
  CHECK(weft_self() == NULL);
  return unused;
}

/* Its OS thread ends without qthread_finalize. */
static void *leave_tasks(void *unused) {
  start_endless_tasks();
  return unused;
}

static void *wait_for_another_end(void *finalizes) {
  start_endless_tasks();
  atomic_store(&has_begun, 1);
  while (atomic_load(&may_go_on) == 0) sched_yield();
  CHECK(qthread_num_shepherds() == 0 && qthread_shep() == NO_SHEPHERD);
  if (finalizes != NULL) qthread_finalize();
  return NULL;
}

static void *end_it(void *unused) {
  qthread_finalize();
  CHECK(qthread_num_shepherds() == 0);
  return unused;
}

static void another_os_thread_ends_it(void *finalizes) {
  pthread_t library;
  atomic_store(&has_begun, 0);
  atomic_store(&may_go_on, 0);
  CHECK(pthread_create(&library, NULL, wait_for_another_end, finalizes) == 0);
  while (atomic_load(&has_begun) == 0) weft_yield();
  run_beside(end_it, NULL);
  atomic_store(&may_go_on, 1);
  CHECK(pthread_join(library, NULL) == 0);
}

static void ends(void) {
  start_weft(2);
  run_beside(finalize_with_tasks, NULL);
  let_tasks_end();
  run_beside(leave_tasks, NULL);
  let_tasks_end();
  another_os_thread_ends_it(NULL);
  let_tasks_end();
  another_os_thread_ends_it(&may_go_on);
  let_tasks_end();
  run_beside(initialize_and_work, NULL);
  CHECK(weft_finalize_with(WEFT_DROP) == WEFT_OK); /* tasks that never started are in no pool that is served */
}

static void *initialize_and_end(void *begun) {
  OK(qthread_initialize());
  atomic_store((atomic_int *)begun, 1);
  return NULL;
}

/* Its OS thread ends while another one begins anew, and a third one ends that. */
static void ends_at_the_same_time(void) {
  const int rounds = IS_SLOW ? 20 : 100;
  for (int i = 0; i < rounds; ++i) {
    pthread_t library;
    atomic_int begun = 0;
    start_weft(1);
    CHECK(pthread_create(&library, NULL, initialize_and_end, &begun) == 0);
    while (atomic_load(&begun) == 0) weft_yield();
    CHECK(weft_finalize() == WEFT_OK);
    OK(qthread_initialize());
    run_beside(end_it, NULL);
    qthread_finalize();
    CHECK(!weft_is_initialized());
    CHECK(pthread_join(library, NULL) == 0);
  }
}

/* ---- refused ---- */

static void refuse(void *unused) {
  (void)unused;
  IS(QTHREAD_NOT_ALLOWED, qthread_initialize());
  CHECK(qthread_num_shepherds() == 0);
}

static void a_thread_of_weft_is_refused(void) {
  weft_thread *thread = NULL;
  start_weft(1);
  CHECK(weft_thread_create(refuse, NULL, NULL, &thread) == WEFT_OK);
  CHECK(weft_thread_join(thread) == WEFT_OK);
  CHECK(weft_finalize() == WEFT_OK);
}

int main(void) {
  starts_at_the_same_time();
  runtimes_of_each_size();
  runtimes_with_gaps();
  ends();
  ends_at_the_same_time();
  a_thread_of_weft_is_refused();
  return 0;
}
