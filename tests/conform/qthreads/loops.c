/* qthread/qloop.h: loops with a task an index, and with a task a worker, and with results. */
#include <pthread.h>
#include <string.h>

#include <qthread/io.h>
#include <qthread/qloop.h>

#include "check.h"

enum { most = IS_SLOW ? 500 : 5000, rounds = IS_SLOW ? 4 : 20 };

typedef void loop_call(size_t start, size_t stop, qt_loop_f function, void *argument);
typedef void accumulating_call(size_t const start, size_t const stop, size_t const size, void *restrict out,
                               qt_loopr_f const func, void *restrict argument, qt_accum_f const combine);

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))

/* Of 1.23, qt_loop_sv gives one return word to all tasks, and those that end in _aligned write
 * beyond a variable. */
static loop_call *const by_index[] = {
    qt_loop,    qt_loop_simple,  qt_loop_dc, qt_loop_sinc,
#if IS_WEFT
    qt_loop_sv, qt_loop_aligned,
#endif
};
static loop_call *const balanced[] = {
    qt_loop_balance,         qt_loop_balance_simple, qt_loop_balance_sv, qt_loop_balance_dc, qt_loop_balance_sinc,
#if IS_WEFT
    qt_loop_balance_aligned,
#endif
};

static aligned_t seen[most];
static aligned_t calls;

static void forget(void) {
  memset(seen, 0, sizeof seen);
  calls = 0;
}

static void check_seen(size_t start, size_t stop) {
  for (size_t i = 0; i < most; ++i) CHECK(seen[i] == (i >= start && i < stop));
}

static void see(size_t const start, size_t const stop, void *argument) {
  CHECK(argument == &calls && start < stop);
  for (size_t i = start; i < stop; ++i) qthread_incr(&seen[i], 1);
  qthread_incr(&calls, 1);
}

static void see_one(size_t const start, size_t const stop, void *argument) {
  CHECK(stop == start + 1);
  see(start, stop, argument);
}

static void each_index_once(void) {
  static size_t const ranges[][2] = {{0, 1}, {0, 2}, {7, 10}, {0, most / 5}, {17, most}};
  for (size_t r = 0; r < COUNT(ranges); ++r) {
    size_t const start = ranges[r][0], stop = ranges[r][1];
    for (size_t i = 0; i < COUNT(by_index); ++i) {
      forget();
      by_index[i](start, stop, see_one, &calls);
      check_seen(start, stop);
      CHECK(calls == stop - start);
    }
    for (size_t i = 0; i < COUNT(balanced); ++i) {
      forget();
      balanced[i](start, stop, see, &calls);
      check_seen(start, stop);
      CHECK(calls == (stop - start < qthread_num_workers() ? stop - start : qthread_num_workers()));
    }
  }
}

static void nothing_to_do(void) {
  if (!IS_WEFT) return; /* 1.23 divides by 0 */
  forget();
  for (size_t i = 0; i < COUNT(by_index); ++i) by_index[i](5, 5, see, &calls);
  for (size_t i = 0; i < COUNT(balanced); ++i) {
    balanced[i](5, 5, see, &calls);
    balanced[i](5, 4, see, &calls);
  }
  CHECK(calls == 0);
}

/* Index i waits for index i + 1: each needs a task of its own. */
static aligned_t chain[101];

static void wait_for_next(size_t const start, size_t const stop, void *argument) {
  (void)argument;
  OK(qthread_readFF(NULL, &chain[stop]));
  OK(qthread_fill(&chain[start]));
}

static void indexes_wait_for_each_other(void) {
  for (size_t i = 0; i < COUNT(by_index); ++i) {
    for (int k = 0; k < 100; ++k) OK(qthread_empty(&chain[k]));
    by_index[i](0, 100, wait_for_next, NULL);
    for (int k = 0; k <= 100; ++k) CHECK(qthread_feb_status(&chain[k]));
  }
}

/* Index i waits for index i - 1. */
static void wait_for_last(size_t const start, size_t const stop, void *argument) {
  (void)argument;
  OK(qthread_readFF(NULL, &chain[start]));
  OK(qthread_fill(&chain[stop]));
}

static void indexes_wait_for_the_one_before(void) {
  for (size_t i = 0; i < COUNT(by_index); ++i) {
    for (int k = 1; k <= 100; ++k) OK(qthread_empty(&chain[k]));
    OK(qthread_fill(&chain[0]));
    by_index[i](0, 100, wait_for_last, NULL);
    for (int k = 0; k <= 100; ++k) CHECK(qthread_feb_status(&chain[k]));
  }
}

/* Index i polls, by yields, for index i + 1. */
enum { POLLED = IS_SLOW ? 8 : 40 };
static aligned_t is_polled[POLLED + 1];

static void poll_for_next(size_t const start, size_t const stop, void *argument) {
  (void)argument;
  while (__atomic_load_n(&is_polled[stop], __ATOMIC_ACQUIRE) == 0) qthread_yield();
  __atomic_store_n(&is_polled[start], 1, __ATOMIC_RELEASE);
}

static void indexes_that_poll(void) {
  for (size_t i = 0; i < COUNT(by_index); ++i) {
    for (int k = 0; k < POLLED; ++k) is_polled[k] = 0;
    is_polled[POLLED] = 1;
    by_index[i](0, POLLED, poll_for_next, NULL);
    CHECK(is_polled[0] == 1);
  }
}

/* Long and short bodies in turn, so that parts are sent to other workers, and are not. Each part
 * changes where its task is, blocks, and keeps bytes. */
static aligned_t parts_done;

static void wander(size_t const start, size_t const stop, void *argument) {
  unsigned char *const bytes = qthread_get_tasklocal(100);
  memset(bytes, (int)start, 100);
  if (argument != NULL) {
    const unsigned id = qthread_id();
    OK(qthread_migrate_to((qthread_shepherd_id_t)(start % qthread_num_shepherds())));
    CHECK(qthread_shep() == start % qthread_num_shepherds() && qthread_id() == id);
    qt_begin_blocking_action();
    qt_end_blocking_action();
  }
  CHECK(bytes[99] == (unsigned char)start);
  qthread_incr(&parts_done, stop - start);
}

static aligned_t loop_in_team(void *argument) {
  qt_loop(0, 100, wander, argument);
  qt_loop_balance(0, 100, wander, argument);
  return 0;
}

static void parts_that_move(void) {
  parts_done = 0;
  for (int i = 0; i < rounds; ++i) {
    void *const is_long = i % 2 == 0 ? &parts_done : NULL;
    qt_loop_balance(0, 100, wander, is_long);
    CHECK(qthread_shep() == 0);
    qt_loop(0, 30, wander, is_long);
    CHECK(qthread_shep() == 0);
  }
  CHECK(parts_done == rounds * 130);
  aligned_t end;
  OK(qthread_fork_new_team(loop_in_team, &parts_done, &end));
  OK(qthread_readFF(NULL, &end));
  CHECK(parts_done == rounds * 130 + 200);
}

static void note_task(size_t const start, size_t const stop, void *ids) {
  (void)stop;
  ((unsigned *)ids)[start] = qthread_id();
}

static void tasks_of_their_own(void) {
  unsigned ids[50];
  qt_loop(0, 50, note_task, ids);
  for (int i = 0; i < 50; ++i) {
    CHECK(ids[i] != qthread_id() && ids[i] != QTHREAD_NULL_TASK_ID);
    for (int k = 0; k < i; ++k) CHECK(ids[i] != ids[k]);
  }
}

struct division {
  qthread_shepherd_id_t shepherds[most];
  size_t ends[most];
};

static void note_part(size_t const start, size_t const stop, void *argument) {
  struct division *const division = argument;
  division->shepherds[start] = qthread_shep();
  division->ends[start] = stop;
}

static bool parts_stay(void) {
  const char *const scheduler = getenv("QT_SCHEDULER");
  return !IS_WEFT || (scheduler != NULL && strcmp(scheduler, "weft") != 0); /* there other workers may take them */
}

static void parts_are_equal_and_stay(void) {
  static struct division first, second;
  size_t const workers = qthread_num_workers(), length = 10 * workers + 1;
  qt_loop_balance(3, 3 + length, note_part, &first);
  qt_loop_balance(3, 3 + length, note_part, &second);
  size_t begin = 3;
  for (size_t i = 0; i < workers; ++i) {
    size_t const count = i == 0 ? 11 : 10;
    CHECK(first.ends[begin] == begin + count && second.ends[begin] == begin + count);
    if (parts_stay()) {
      CHECK(first.shepherds[begin] == i % qthread_num_shepherds());
      CHECK(second.shepherds[begin] == first.shepherds[begin]);
    }
    begin += count;
  }
}

static void see_row(size_t const start, size_t const stop, void *argument) {
  for (size_t i = start; i < stop; ++i) qt_loop_balance(i * 10, i * 10 + 10, see, argument);
}

static aligned_t run_nested(void *argument) {
  (void)argument;
  qt_loop(0, 50, see_row, &calls);
  return 0;
}

static void nested_in_tasks(void) {
  aligned_t end;
  forget();
  OK(qthread_fork(run_nested, NULL, &end));
  OK(qthread_readFF(NULL, &end));
  check_seen(0, 500);
}

/* Results that only fit together in the order of their parts. */
struct interval {
  size_t begin, end;
};

static void cover(size_t const start, size_t const stop, void *restrict argument, void *restrict result) {
  CHECK(argument == &calls);
  *(struct interval *)result = (struct interval){start, stop};
}

static void append(void *restrict a, void const *restrict b) {
  struct interval *const left = a;
  struct interval const *const right = b;
  CHECK(left->end == right->begin);
  left->end = right->end;
}

static void add_up(size_t const start, size_t const stop, void *restrict argument, void *restrict result) {
  (void)argument;
  aligned_t sum = 0;
  for (size_t i = start; i < stop; ++i) sum += i;
  *(aligned_t *)result = sum;
}

static void results(accumulating_call *accumulate, int has_order) {
  struct interval whole = {0, 0};
  aligned_t sum = 0;
  accumulate(0, 1001, sizeof sum, &sum, add_up, NULL, qt_uint_add_acc);
  CHECK(sum == 500500);
  if (has_order) {
    accumulate(5, 1001, sizeof whole, &whole, cover, &calls, append);
    CHECK(whole.begin == 5 && whole.end == 1001);
  }
  if (!IS_WEFT) return; /* 1.23 calls the function for parts without indexes, too */
  accumulate(5, 6, sizeof whole, &whole, cover, &calls, append);
  CHECK(whole.begin == 5 && whole.end == 6);
  accumulate(8, 8, sizeof whole, &whole, cover, &calls, append);
  CHECK(whole.begin == 8 && whole.end == 8);
}

static void all_results(void) {
  results(qt_loopaccum_balance, 1);
  results(qt_loopaccum_balance_sv, 1);
  results(qt_loopaccum_balance_sinc, IS_WEFT);      /* 1.23: in no order */
  if (IS_WEFT) results(qt_loopaccum_balance_dc, 1); /* 1.23 frees a count */
}

/* The task waits for the OS thread by a word: its worker is wanted meanwhile. */
static aligned_t has_looped;

static void *loop_outside(void *argument) {
  aligned_t sum = 0;
  qt_loop(0, 100, see_one, argument);
  qt_loop_balance(100, 200, see, argument);
  qt_loopaccum_balance(0, 1001, sizeof sum, &sum, add_up, NULL, qt_uint_add_acc);
  CHECK(sum == 500500);
  OK(qthread_fill(&has_looped));
  return NULL;
}

static void outside(void) {
  pthread_t thread;
  forget();
  OK(qthread_empty(&has_looped));
  CHECK(pthread_create(&thread, NULL, loop_outside, &calls) == 0);
  OK(qthread_readFF(NULL, &has_looped));
  CHECK(pthread_join(thread, NULL) == 0);
  check_seen(0, 200);
}

int main(void) {
  OK(qthread_initialize());
  each_index_once();
  nothing_to_do();
  indexes_wait_for_each_other();
  indexes_wait_for_the_one_before();
  indexes_that_poll();
  parts_that_move();
  tasks_of_their_own();
  parts_are_equal_and_stay();
  nested_in_tasks();
  all_results();
  if (IS_WEFT) outside(); /* the loops of 1.23 wait by yields, which do nothing outside */
  return 0;
}
