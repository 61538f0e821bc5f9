/* qlfqueue_*, qdqueue_* and qswsrqueue_*. */
#include <qthread/qdqueue.h>
#include <qthread/qlfqueue.h>
#include <qthread/qswsrqueue.h>

#include "check.h"
#include "tasks.h"

static void *element(uintptr_t value) { return (void *)value; }

/* ---- qlfqueue ---- */

static void elements_leave_in_order(void) {
  qlfqueue_t *const q = qlfqueue_create();
  CHECK(q != NULL && qlfqueue_empty(q) == 1 && qlfqueue_dequeue(q) == NULL);
  uintptr_t put = 0, taken = 0;
  for (uintptr_t round = 1; round <= 300; ++round) { /* it grows and shrinks, and is empty at times */
    for (uintptr_t i = 0; i < round % 150; ++i) OK(qlfqueue_enqueue(q, element(++put)));
    CHECK(qlfqueue_empty(q) == (put == taken));
    const uintptr_t goal = round % 7 == 0 ? put : taken + (put - taken) / 2;
    while (taken < goal) CHECK(qlfqueue_dequeue(q) == element(++taken));
  }
  while (taken < put) CHECK(qlfqueue_dequeue(q) == element(++taken));
  CHECK(qlfqueue_empty(q) == 1 && qlfqueue_dequeue(q) == NULL);
  OK(qlfqueue_destroy(q));
}

static void a_queue_is_destroyed_with_elements(void) {
  qlfqueue_t *const q = qlfqueue_create();
  for (uintptr_t i = 1; i <= 1000; ++i) OK(qlfqueue_enqueue(q, element(i)));
  OK(qlfqueue_destroy(q));
}

static void null_is_no_queue(void) {
  IS(QTHREAD_BADARGS, qlfqueue_destroy(NULL));
  IS(QTHREAD_BADARGS, qlfqueue_enqueue(NULL, element(1)));
  IS(QTHREAD_BADARGS, qlfqueue_empty(NULL));
  CHECK(qlfqueue_dequeue(NULL) == NULL);
  qlfqueue_t *const q = qlfqueue_create();
  IS(QTHREAD_BADARGS, qlfqueue_enqueue(q, NULL));
  CHECK(qlfqueue_empty(q) == 1);
  OK(qlfqueue_destroy(q));
}

/* Each element names its producer, and its number among the producer's. */
enum { producers = 6, consumers = 5, each = IS_SLOW ? 300 : 3000 };
static struct traffic {
  qlfqueue_t *q;
  atomic_uint next_producer;
  atomic_uint taken;
  atomic_uchar seen[producers][each];
} traffic;

static void produce(void *argument) {
  struct traffic *const to = argument;
  const unsigned me = atomic_fetch_add(&to->next_producer, 1);
  for (unsigned i = 0; i < each; ++i) {
    OK(qlfqueue_enqueue(to->q, element((uintptr_t)me * each + i + 1)));
    if (i % 100 == 0) qthread_yield();
  }
}
static aligned_t produce_in_task(void *argument) {
  produce(argument);
  return 0;
}

static void consume(void *argument) {
  struct traffic *const from = argument;
  long last[producers];
  for (int i = 0; i < producers; ++i) last[i] = -1;
  while (atomic_load(&from->taken) < producers * each) {
    void *const got = qlfqueue_dequeue(from->q);
    if (got == NULL) {
      qthread_yield();
      continue;
    }
    const uintptr_t number = (uintptr_t)got - 1;
    const uintptr_t producer = number / each;
    const long index = (long)(number % each);
    CHECK(producer < producers && index > last[producer]);
    last[producer] = index;
    CHECK(atomic_exchange(&from->seen[producer][index], 1) == 0);
    atomic_fetch_add(&from->taken, 1);
  }
}
static aligned_t consume_in_task(void *argument) {
  consume(argument);
  return 0;
}

static void use_outside(void *argument) {
  produce(argument);
  consume(argument);
}

static void many_use_one_queue(bool with_outside) {
  memset(&traffic, 0, sizeof(traffic));
  traffic.q = qlfqueue_create();
  aligned_t ends[producers + consumers];
  int made = 0;
  for (int i = 0; i < consumers; ++i) OK(qthread_fork(consume_in_task, &traffic, &ends[made++]));
  for (int i = with_outside ? 1 : 0; i < producers; ++i) OK(qthread_fork(produce_in_task, &traffic, &ends[made++]));
  if (with_outside) run_outside(use_outside, &traffic);
  for (int i = 0; i < made; ++i) OK(qthread_readFF(NULL, &ends[i]));
  CHECK(qlfqueue_empty(traffic.q) == 1 && atomic_load(&traffic.taken) == producers * each);
  OK(qlfqueue_destroy(traffic.q));
}
static void tasks_use_one_queue(void) { many_use_one_queue(false); }
static void outsiders_use_it_too(void) {
  if (IS_WEFT) many_use_one_queue(true); /* 1.23's have no hazard pointers */
}

/* ---- qdqueue ---- */

static void a_shepherds_part_is_in_order(void) {
  qdqueue_t *const q = qdqueue_create();
  CHECK(q != NULL && qdqueue_empty(q) == 1 && qdqueue_dequeue(q) == NULL);
  for (uintptr_t i = 1; i <= 500; ++i) OK(qdqueue_enqueue(q, element(i)));
  CHECK(qdqueue_empty(q) == 0);
  for (uintptr_t i = 1; i <= 500; ++i) CHECK(qdqueue_dequeue(q) == element(i));
  CHECK(qdqueue_empty(q) == 1 && qdqueue_dequeue(q) == NULL);
  OK(qdqueue_destroy(q));
}

static aligned_t put_own_shepherd(void *q) {
  OK(qdqueue_enqueue(q, element((uintptr_t)qthread_shep() + 1)));
  return 0;
}

static aligned_t take_own_shepherd(void *q) {
  CHECK(qdqueue_dequeue(q) == element((uintptr_t)qthread_shep() + 1));
  return 0;
}

static void each_shepherd_has_a_part(void) {
  qdqueue_t *const q = qdqueue_create();
  aligned_t end;
  for (unsigned round = 0; round < 2; ++round)
    for (qthread_shepherd_id_t i = 0; i < qthread_num_shepherds(); ++i) {
      OK(qthread_fork_to(round == 0 ? put_own_shepherd : take_own_shepherd, q, &end, i));
      OK(qthread_readFF(NULL, &end));
    }
  CHECK(qdqueue_dequeue(q) == NULL);
  OK(qdqueue_destroy(q));
}

static void elements_are_taken_from_others(void) {
  qdqueue_t *const q = qdqueue_create();
  const qthread_shepherd_id_t shepherds = qthread_num_shepherds();
  aligned_t end;
  for (qthread_shepherd_id_t i = 0; i < shepherds; ++i) {
    OK(qthread_fork_to(put_own_shepherd, q, &end, i));
    OK(qthread_readFF(NULL, &end));
  }
  uintptr_t sum = 0;
  for (qthread_shepherd_id_t i = 0; i < shepherds; ++i) {
    if (IS_WEFT) CHECK(qdqueue_empty(q) == 0); /* 1.23 does not see every part */
    void *const got = qdqueue_dequeue(q);
    CHECK(got != NULL);
    sum += (uintptr_t)got;
  }
  CHECK(sum == (uintptr_t)shepherds * (shepherds + 1U) / 2);
  CHECK(qdqueue_empty(q) == 1);
  OK(qdqueue_destroy(q));
}

static void bad_arguments(void) {
  IS(QTHREAD_BADARGS, qdqueue_destroy(NULL));
  IS(QTHREAD_BADARGS, qdqueue_enqueue(NULL, element(1)));
  CHECK(qdqueue_dequeue(NULL) == NULL && qdqueue_empty(NULL) == 0);
  qdqueue_t *const q = qdqueue_create();
  IS(QTHREAD_BADARGS, qdqueue_enqueue(q, NULL));
  OK(qdqueue_destroy(q));
}

#if IS_WEFT
static void use_from_outside(void *q) {
  OK(qdqueue_enqueue(q, element(8)));
  CHECK(qdqueue_dequeue(q) == element(8));
}
#endif

static void there_and_from_outside(void) {
#if IS_WEFT /* Qthreads' library hides qdqueue_enqueue_there, and needs a shepherd */
  qdqueue_t *const q = qdqueue_create();
  const qthread_shepherd_id_t shepherds = qthread_num_shepherds();
  IS(QTHREAD_BADARGS, qdqueue_enqueue_there(NULL, element(1), 0));
  IS(QTHREAD_BADARGS, qdqueue_enqueue_there(q, NULL, 0));
  IS(QTHREAD_BADARGS, qdqueue_enqueue_there(q, element(1), shepherds));
  CHECK(qdqueue_empty(q) == 1);
  for (qthread_shepherd_id_t i = 0; i < shepherds; ++i) OK(qdqueue_enqueue_there(q, element(i + 1U), i));
  aligned_t end;
  for (qthread_shepherd_id_t i = 0; i < shepherds; ++i) {
    OK(qthread_fork_to(take_own_shepherd, q, &end, i));
    OK(qthread_readFF(NULL, &end));
  }
  run_outside(use_from_outside, q);
  OK(qdqueue_destroy(q));
#endif
}

/* ---- qswsrqueue ---- */

static void a_ring_has_an_end(void) {
  IS(QTHREAD_BADARGS, qswsrqueue_destroy(NULL));
  qswsrqueue_t *const q = qswsrqueue_create(128);
  CHECK(q != NULL && qswsrqueue_empty(q) == 1 && qswsrqueue_dequeue(q) == NULL);
  uintptr_t put = 0, taken = 0;
  for (int round = 0; round < 5; ++round) {
    while (qswsrqueue_enqueue(q, element(put + 1)) == QTHREAD_SUCCESS) ++put;
    IS(QTHREAD_OPFAIL, qswsrqueue_enqueue(q, element(put + 1)));
    CHECK(put - taken == (IS_WEFT ? 128 : 127) && qswsrqueue_empty(q) == 0);
    for (int i = 0; i < 50; ++i) CHECK(qswsrqueue_dequeue(q) == element(++taken));
  }
  while (taken < put) CHECK(qswsrqueue_dequeue(q) == element(++taken));
  CHECK(qswsrqueue_empty(q) == 1 && qswsrqueue_dequeue(q) == NULL);
  OK(qswsrqueue_destroy(q));
}

static void small_and_too_large_rings(void) {
  for (size_t size = 0; size < 4; ++size) {
    qswsrqueue_t *const q = qswsrqueue_create(size);
    CHECK(q != NULL);
    for (size_t i = 0; i < size; ++i) OK(qswsrqueue_enqueue(q, element(i + 1)));
    OK(qswsrqueue_destroy(q));
  }
  CHECK(qswsrqueue_create((size_t)UINT32_MAX + 1) == NULL);
}

enum { passed = IS_SLOW ? 2000 : 20000 };

static aligned_t write_polling(void *q) {
  for (uintptr_t i = 1; i <= passed; ++i)
    while (qswsrqueue_enqueue(q, element(i)) != QTHREAD_SUCCESS) qthread_yield();
  return 0;
}

static aligned_t read_polling(void *q) {
  for (uintptr_t i = 1; i <= passed; ++i) {
    void *got;
    while ((got = qswsrqueue_dequeue(q)) == NULL) qthread_yield();
    CHECK(got == element(i));
  }
  return 0;
}

static void passes(qthread_f write, qthread_f read) {
  qswsrqueue_t *const q = qswsrqueue_create(16);
  aligned_t written, was_read;
  OK(qthread_fork(read, q, &was_read));
  OK(qthread_fork(write, q, &written));
  OK(qthread_readFF(NULL, &was_read));
  OK(qthread_readFF(NULL, &written));
  CHECK(qswsrqueue_empty(q) == 1);
  OK(qswsrqueue_destroy(q));
}

static void one_writes_and_one_reads(void) { passes(write_polling, read_polling); }

#if IS_WEFT
static aligned_t write_waiting(void *q) {
  for (uintptr_t i = 1; i <= passed; ++i) OK(qswsrqueue_enqueue_blocking(q, element(i)));
  return 0;
}

static aligned_t read_waiting(void *q) {
  for (uintptr_t i = 1; i <= passed; ++i) CHECK(qswsrqueue_dequeue_blocking(q) == element(i));
  return 0;
}

static void write_outside(void *q) { write_waiting(q); }
static void read_outside(void *q) { read_waiting(q); }

/* Several callers wait at a time, and one that wakes them. */
enum { waiters = 4 };
static aligned_t read_one(void *q) { return (uintptr_t)qswsrqueue_dequeue_blocking(q); }

static void several_wait(void) {
  qswsrqueue_t *const q = qswsrqueue_create(16);
  aligned_t ends[waiters], sum = 0;
  for (int i = 0; i < waiters; ++i) OK(qthread_fork(read_one, q, &ends[i]));
  for (int i = 0; i < 10; ++i) qthread_yield();
  for (uintptr_t i = 1; i <= waiters; ++i) OK(qswsrqueue_enqueue(q, element(i)));
  for (int i = 0; i < waiters; ++i) {
    aligned_t got;
    OK(qthread_readFF(&got, &ends[i]));
    sum += got;
  }
  CHECK(sum == waiters * (waiters + 1) / 2);
  OK(qswsrqueue_destroy(q));
}
#endif

static void both_may_wait(void) {
#if IS_WEFT /* Qthreads' library hides the calls that wait */
  passes(write_waiting, read_waiting);
  passes(write_polling, read_waiting);
  passes(write_waiting, read_polling);
  several_wait();
  qswsrqueue_t *const q = qswsrqueue_create(16);
  aligned_t end;
  OK(qthread_fork(read_waiting, q, &end));
  run_outside(write_outside, q);
  OK(qthread_readFF(NULL, &end));
  OK(qthread_fork(write_waiting, q, &end));
  run_outside(read_outside, q);
  OK(qthread_readFF(NULL, &end));
  OK(qswsrqueue_destroy(q));
#endif
}

/* The part of a disabled shepherd stays. */
static void a_disabled_shepherd_has_a_part(void) {
#if IS_WEFT
  if (qthread_num_shepherds() < 2) return;
  qdqueue_t *const before = qdqueue_create();
  OK(qthread_disable_shepherd(1));
  qdqueue_t *const after = qdqueue_create();
  OK(qdqueue_enqueue_there(before, element(1), 1));
  OK(qdqueue_enqueue_there(after, element(2), 1));
  CHECK(qdqueue_dequeue(before) == element(1) && qdqueue_dequeue(after) == element(2));
  qthread_enable_shepherd(1);
  OK(qdqueue_destroy(before));
  OK(qdqueue_destroy(after));
#endif
}

int main(void) {
  if (IS_WEFT) elements_leave_in_order(); /* without a runtime, too */
  if (IS_WEFT) CHECK(qdqueue_create() == NULL);
  OK(qthread_initialize());
  elements_leave_in_order();
  a_queue_is_destroyed_with_elements();
  null_is_no_queue();
  tasks_use_one_queue();
  outsiders_use_it_too();
  a_shepherds_part_is_in_order();
  each_shepherd_has_a_part();
  elements_are_taken_from_others();
  bad_arguments();
  there_and_from_outside();
  a_disabled_shepherd_has_a_part();
  a_ring_has_an_end();
  small_and_too_large_rings();
  one_writes_and_one_reads();
  both_may_wait();
  qthread_finalize();
  return 0;
}
