/* qthread/sinc.h: submits that are expected, waiters, values; ends that race with the last submit. */
#include <malloc.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include <qthread/sinc.h>

#include "check.h"

static void add(void *to, void const *what) { *(aligned_t *)to += *(aligned_t const *)what; }

static void keep_larger(void *to, void const *what) {
  if (*(int const *)what > *(int *)to) *(int *)to = *(int const *)what;
}

static aligned_t submit_nothing(void *sinc) {
  qt_sinc_submit(sinc, NULL);
  return 0;
}

static aligned_t wait_for(void *sinc) {
  qt_sinc_wait(sinc, NULL);
  return 0;
}

static void nothing_expected(void) {
  qt_sinc_t sinc;
  qt_sinc_init(&sinc, 0, NULL, NULL, 0);
  qt_sinc_wait(&sinc, NULL);
  qt_sinc_fini(&sinc);
}

static void submits_are_counted(void) {
  qt_sinc_t *const sinc = qt_sinc_create(0, NULL, NULL, 1);
  CHECK(sinc != NULL);
  qt_sinc_expect(sinc, 2);
  aligned_t waiter;
  OK(qthread_fork(wait_for, sinc, &waiter));
  for (int i = 0; i < 3; ++i) {
    qthread_yield();
    CHECK(!qthread_feb_status(&waiter));
    OK(qthread_fork(submit_nothing, sinc, NULL));
  }
  qt_sinc_wait(sinc, NULL);
  OK(qthread_readFF(NULL, &waiter));
  qt_sinc_wait(sinc, NULL);
  qt_sinc_destroy(sinc);
}

/* A tree whose inner nodes expect their children. */
struct node {
  int depth;
  qt_sinc_t *sinc;
};

static aligned_t grow(void *argument) {
  struct node const *const mine = argument;
  struct node const child = {mine->depth - 1, mine->sinc};
  aligned_t const one = 1;
  if (mine->depth > 0) {
    qt_sinc_expect(mine->sinc, 2);
    OK(qthread_fork_copyargs(grow, &child, sizeof child, NULL));
    OK(qthread_fork_copyargs(grow, &child, sizeof child, NULL));
  }
  qt_sinc_submit(mine->sinc, mine->depth > 0 ? NULL : &one);
  return 0;
}

static aligned_t grown(qt_sinc_t *sinc, int depth) {
  struct node const root = {depth, sinc};
  aligned_t leaves = 0;
  OK(qthread_fork_copyargs(grow, &root, sizeof root, NULL));
  qt_sinc_wait(sinc, &leaves);
  return leaves;
}

static void values_are_combined(void) {
  aligned_t const none = 0;
  qt_sinc_t sinc;
  qt_sinc_init(&sinc, sizeof none, &none, add, 1);
  CHECK(grown(&sinc, 6) == 64);
  qt_sinc_wait(&sinc, NULL);
  qt_sinc_reset(&sinc, 1);
  CHECK(grown(&sinc, 3) == 8);
  qt_sinc_fini(&sinc);
}

static aligned_t submit_int(void *argument) {
  void **const both = argument;
  int const value = (int)(intptr_t)both[1];
  qt_sinc_submit(both[0], &value);
  return 0;
}

static void values_have_any_size(void) {
  int const none = -1;
  int found = 0;
  qt_sinc_t *const sinc = qt_sinc_create(sizeof none, &none, keep_larger, 100);
  CHECK(sinc != NULL);
  for (intptr_t i = 0; i < 100; ++i) {
    void *both[2] = {sinc, (void *)(i * 37 % 101)};
    OK(qthread_spawn(submit_int, both, sizeof both, NULL, 0, NULL, (qthread_shepherd_id_t)(i % 2), 0));
  }
  qt_sinc_wait(sinc, &found);
  CHECK(found == 100);
  qt_sinc_destroy(sinc);
}

static void initial_value_where_nothing_comes(void) {
  if (!IS_WEFT) return; /* 1.23 copies memory that it has not written */
  aligned_t const initial = 7;
  aligned_t found = 0;
  qt_sinc_t sinc;
  qt_sinc_init(&sinc, sizeof initial, &initial, add, 0);
  qt_sinc_wait(&sinc, &found);
  CHECK(found == 7);
  qt_sinc_fini(&sinc);
}

/* By value, on stacks that go as soon as the wait returns. */
struct fibonacci {
  int n;
  aligned_t *result;
  qt_sinc_t *sinc;
};

static aligned_t fibonacci(void *argument) {
  struct fibonacci const *const mine = argument;
  if (mine->n < 2) {
    *mine->result = (aligned_t)mine->n;
  } else {
    aligned_t left, right;
    qt_sinc_t sinc;
    qt_sinc_init(&sinc, 0, NULL, NULL, 2);
    struct fibonacci const parts[2] = {{mine->n - 1, &left, &sinc}, {mine->n - 2, &right, &sinc}};
    for (int i = 0; i < 2; ++i) OK(qthread_fork_copyargs(fibonacci, &parts[i], sizeof parts[i], NULL));
    qt_sinc_wait(&sinc, NULL);
    memset(&sinc, 0xff, sizeof sinc);
    *mine->result = left + right;
  }
  qt_sinc_submit(mine->sinc, NULL);
  return 0;
}

static void on_stacks(void) {
  aligned_t result = 0;
  qt_sinc_t sinc;
  qt_sinc_init(&sinc, 0, NULL, NULL, 1);
  struct fibonacci const root = {IS_SLOW ? 12 : 18, &result, &sinc};
  OK(qthread_fork_copyargs(fibonacci, &root, sizeof root, NULL));
  qt_sinc_wait(&sinc, NULL);
  CHECK(result == (IS_SLOW ? 144 : 2584));
}

static void last_submit_against_destroy(void) {
  for (int i = 0; i < (IS_SLOW ? 200 : 5000); ++i) {
    qt_sinc_t *const sinc = qt_sinc_create(0, NULL, NULL, 2);
    CHECK(sinc != NULL);
    OK(qthread_fork_to(submit_nothing, sinc, NULL, 0));
    OK(qthread_fork_to(submit_nothing, sinc, NULL, 1));
    qt_sinc_wait(sinc, NULL);
    qt_sinc_destroy(sinc);
  }
}

static atomic_int waiters_begun;
static aligned_t begin_and_wait(void *sinc) {
  atomic_fetch_add(&waiters_begun, 1);
  qt_sinc_wait(sinc, NULL);
  return 0;
}

/* On a shepherd with one worker, all waiters that have begun have parked when main runs there. */
static void parked_waiters_against_destroy(void) {
  if (!IS_WEFT) return; /* known of 1.23: the first waiter's destruction takes the others' value */
  if (qthread_num_workers_local(0) != 1) return;
  aligned_t const none = 0;
  for (int i = 0; i < (IS_SLOW ? 50 : 500); ++i) {
    qt_sinc_t *const sinc = qt_sinc_create(sizeof none, &none, add, 1);
    CHECK(sinc != NULL);
    aligned_t waiters[4];
    atomic_store(&waiters_begun, 0);
    for (int k = 0; k < 4; ++k) OK(qthread_fork_to(begin_and_wait, sinc, &waiters[k], 0));
    while (atomic_load(&waiters_begun) < 4) qthread_yield();
    OK(qthread_fork_to(submit_nothing, sinc, NULL, 1));
    qt_sinc_wait(sinc, NULL);
    qt_sinc_destroy(sinc);
    for (int k = 0; k < 4; ++k) OK(qthread_readFF(NULL, &waiters[k]));
  }
}

static void without_value_without_memory(void) {
  enum { rounds = 100000 };
  size_t const before = mallinfo2().uordblks;
  for (int i = 0; i < rounds; ++i) {
    qt_sinc_t sinc;
    qt_sinc_init(&sinc, 0, NULL, NULL, 1);
    qt_sinc_submit(&sinc, NULL);
    qt_sinc_wait(&sinc, NULL);
  }
  size_t const after = mallinfo2().uordblks;
  CHECK(after < before + rounds);
}

static aligned_t forty_two(void *argument) {
  (void)argument;
  return 42;
}

static void spawned_tasks_submit(void) {
  aligned_t const none = 0;
  aligned_t found = 0;
  qt_sinc_t sinc;
  qt_sinc_init(&sinc, sizeof none, &none, add, 3);
  for (int i = 0; i < 2; ++i) OK(qthread_spawn(forty_two, NULL, 0, &sinc, 0, NULL, NO_SHEPHERD, QTHREAD_SPAWN_RET_SINC));
  OK(qthread_spawn(forty_two, NULL, 0, &sinc, 0, NULL, NO_SHEPHERD, QTHREAD_SPAWN_RET_SINC_VOID));
  qt_sinc_wait(&sinc, &found);
  if (IS_WEFT) CHECK(found == 84); /* 1.23 submits no value, whatever the flag says */
  qt_sinc_fini(&sinc);
}

static void *submit_and_wait_outside(void *sinc) {
  aligned_t const value = 5;
  aligned_t found = 0;
  qt_sinc_submit(sinc, &value);
  qt_sinc_wait(sinc, &found);
  CHECK(found == 15);
  return NULL;
}

static void outside(void) {
  if (!IS_WEFT) return; /* 1.23 has no place for the values of OS threads outside */
  aligned_t const none = 0, value = 5;
  qt_sinc_t sinc;
  pthread_t threads[2];
  qt_sinc_init(&sinc, sizeof none, &none, add, 3);
  for (int i = 0; i < 2; ++i) CHECK(pthread_create(&threads[i], NULL, submit_and_wait_outside, &sinc) == 0);
  qt_sinc_submit(&sinc, &value);
  qt_sinc_wait(&sinc, NULL);
  for (int i = 0; i < 2; ++i) CHECK(pthread_join(threads[i], NULL) == 0);
  qt_sinc_fini(&sinc);
}

/* What came before a reset does not count, not even that something came. */
static void reset_forgets_values(void) {
  aligned_t const ten = 10, one = 1;
  aligned_t value = 0;
  qt_sinc_t sinc;
  qt_sinc_init(&sinc, sizeof ten, &ten, add, 1);
  qt_sinc_submit(&sinc, &one);
  qt_sinc_wait(&sinc, &value);
  qt_sinc_reset(&sinc, 1);
  qt_sinc_submit(&sinc, NULL);
  qt_sinc_wait(&sinc, &value);
  CHECK(!IS_WEFT || value == 10);
  qt_sinc_fini(&sinc);
}

static void values_that_no_memory_holds(void) {
  if (!IS_WEFT) return;
  const size_t none = 0;
  for (size_t bytes = SIZE_MAX; bytes > SIZE_MAX / 16; bytes -= SIZE_MAX / 64)
    CHECK(qt_sinc_create(bytes, &none, add, 1) == NULL);
}

int main(void) {
  CHECK(sizeof(qt_sinc_t) == 24);
  OK(qthread_initialize());
  nothing_expected();
  submits_are_counted();
  values_are_combined();
  values_have_any_size();
  reset_forgets_values();
  values_that_no_memory_holds();
  initial_value_where_nothing_comes();
  on_stacks();
  last_submit_against_destroy();
  parked_waiters_against_destroy();
  without_value_without_memory();
  spawned_tasks_submit();
  outside();
  return 0;
}
