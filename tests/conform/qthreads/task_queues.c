/* Queues of parked tasks. */
#include "tasks.h"

enum { TASKS = 10 };

struct joining {
  qthread_queue_t queue;
  atomic_int released;
  int order[TASKS];
};

struct one_of_them {
  struct joining *all;
  int number;
};

static aligned_t join(void *argument) {
  struct one_of_them *mine = argument;
  OK(qthread_queue_join(mine->all->queue));
  mine->all->order[atomic_fetch_add(&mine->all->released, 1)] = mine->number;
  return 0;
}

static void await_length(qthread_queue_t queue, aligned_t wanted) {
  while (qthread_queue_length(queue) != wanted) {
    qthread_yield();
    sched_yield();
  }
}

static void released_in_their_order(uint8_t flags) {
  struct joining all = {.queue = qthread_queue_create(flags, TASKS), .released = 0};
  struct one_of_them each[TASKS];
  aligned_t ends[TASKS] = {0};
  CHECK(all.queue != NULL && qthread_queue_length(all.queue) == 0);
  OK(qthread_queue_release_one(all.queue)); /* the queue is empty */
  OK(qthread_queue_release_all(all.queue));
  for (int i = 0; i < TASKS; ++i) {
    each[i] = (struct one_of_them){&all, i};
    OK(qthread_fork(join, &each[i], &ends[i]));
    await_length(all.queue, (aligned_t)i + 1);
  }
  CHECK(atomic_load(&all.released) == 0);
  IS(QTHREAD_BADARGS, qthread_queue_destroy(all.queue));
  for (int i = 0; i < TASKS / 2; ++i) {
    OK(qthread_queue_release_one(all.queue));
    OK(qthread_readFF(NULL, &ends[i])); /* the i-th */
    CHECK(all.order[i] == i && atomic_load(&all.released) == i + 1);
  }
  CHECK(qthread_queue_length(all.queue) == TASKS - TASKS / 2);
  OK(qthread_queue_release_all(all.queue));
  for (int i = TASKS / 2; i < TASKS; ++i) OK(qthread_readFF(NULL, &ends[i]));
  CHECK(qthread_queue_length(all.queue) == 0);
  OK(qthread_queue_destroy(all.queue));
}

static aligned_t finds_it_full(void *argument) { return qthread_queue_join(argument) == QTHREAD_OPFAIL; }

static void a_capped_queue(void) {
  struct joining all = {.queue = qthread_queue_create(QTHREAD_QUEUE_CAPPED, 1), .released = 0};
  struct one_of_them one = {&all, 0};
  aligned_t ends[2] = {0};
  OK(qthread_fork(join, &one, &ends[0]));
  await_length(all.queue, 1);
  OK(qthread_fork(finds_it_full, all.queue, &ends[1]));
  OK(qthread_readFF(&ends[1], &ends[1]));
  CHECK(ends[1] == 1);
  OK(qthread_queue_release_all(all.queue));
  OK(qthread_readFF(NULL, &ends[0]));
  OK(qthread_queue_destroy(all.queue));
}

static void cannot_join(void *queue) {
  IS(QTHREAD_NOT_ALLOWED, qthread_queue_join(queue));
  CHECK(qthread_queue_length(queue) == 1);
  OK(qthread_queue_release_one(queue));
}

static void from_outside(void) {
  struct joining all = {.queue = qthread_queue_create(0, 0), .released = 0};
  struct one_of_them one = {&all, 0};
  aligned_t end = 0;
  OK(qthread_fork(join, &one, &end));
  await_length(all.queue, 1);
  run_outside(cannot_join, all.queue);
  OK(qthread_readFF(NULL, &end));
  OK(qthread_queue_destroy(all.queue));
}

int main(void) {
  OK(qthread_initialize());
  released_in_their_order(0);
  released_in_their_order(QTHREAD_QUEUE_NO_SYNCH);
  released_in_their_order(QTHREAD_QUEUE_MULTI_JOIN);
  released_in_their_order(QTHREAD_QUEUE_MULTI_JOIN_LENGTH);
  released_in_their_order(QTHREAD_QUEUE_CAPPED);
  a_capped_queue();
  from_outside();
  IS(QTHREAD_BADARGS, qthread_queue_join(NULL));
  IS(QTHREAD_BADARGS, qthread_queue_release_one(NULL));
  IS(QTHREAD_BADARGS, qthread_queue_release_all(NULL));
  IS(QTHREAD_BADARGS, qthread_queue_destroy(NULL));
  CHECK(qthread_queue_length(NULL) == 0);
  qthread_finalize();
  return 0;
}
