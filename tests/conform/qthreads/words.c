/* Full/empty words: each call from tasks and from OS threads outside; and the atomic operations. */
#include "tasks.h"

#define STATE(word, is_full_, value)                             \
  do {                                                           \
    CHECK(qthread_feb_status(&(word)) == (is_full_));            \
    CHECK(*(volatile aligned_t *)&(word) == (aligned_t)(value)); \
  } while (0)

static void without_waits(void *unused) {
  (void)unused;
  static _Thread_local aligned_t kept; /* the words may lie anywhere */
  aligned_t on_stack = 3, *words[2] = {&kept, &on_stack};
  const aligned_t nine = 9;
  for (int i = 0; i < 2; ++i) {
    aligned_t *word = words[i], seen = 0;
    *word = 3;
    STATE(*word, 1, 3);
    OK(qthread_empty(word));
    STATE(*word, 0, 3);
    OK(qthread_fill(word));
    STATE(*word, 1, 3);
    OK(qthread_readFF(&seen, word));
    CHECK(seen == 3);
    OK(qthread_readFE(&seen, word));
    STATE(*word, 0, 3);
    OK(qthread_writeEF(word, &nine));
    STATE(*word, 1, 9);
    OK(qthread_readFE(NULL, word));
    OK(qthread_writeEF_const(word, 10));
    STATE(*word, 1, 10);
    OK(qthread_writeFF(word, &nine));
    STATE(*word, 1, 9);
    OK(qthread_writeFF_const(word, 11));
    STATE(*word, 1, 11);
    OK(qthread_purge(word));
    STATE(*word, 0, 0);
    OK(qthread_writeF(word, &nine));
    STATE(*word, 1, 9);
    OK(qthread_purge_to(word, &seen));
    STATE(*word, 0, 3);
    OK(qthread_writeF_const(word, 12));
    STATE(*word, 1, 12);
    OK(qthread_purge_to_const(word, 13));
    STATE(*word, 0, 13);
    OK(qthread_readXX(&seen, word));
    CHECK(seen == 13);
    OK(qthread_fill(word));
    STATE(*word, 1, 13);
  }
}

static void answers_in_place_of_waits(void *unused) {
  (void)unused;
  aligned_t word = 1, seen = 0;
  const aligned_t two = 2;
  IS(QTHREAD_OPFAIL, qthread_writeEF_nb(&word, &two));
  IS(QTHREAD_OPFAIL, qthread_writeEF_const_nb(&word, 2));
  OK(qthread_readFF_nb(&seen, &word));
  CHECK(seen == 1);
  OK(qthread_readFE_nb(NULL, &word));
  STATE(word, 0, 1);
  IS(QTHREAD_OPFAIL, qthread_readFF_nb(&seen, &word));
  IS(QTHREAD_OPFAIL, qthread_readFE_nb(&seen, &word));
  OK(qthread_writeEF_nb(&word, &two));
  STATE(word, 1, 2);
  OK(qthread_empty(&word));
  OK(qthread_writeEF_const_nb(&word, 3));
  STATE(word, 1, 3);
}

static void bad_arguments(void *unused) {
  (void)unused;
  aligned_t words[2] = {0}, seen = 0;
  aligned_t *const none = NULL;
  aligned_t *bad[2] = {none, (aligned_t *)(void *)((char *)words + 4)};
  for (int i = 0; i < 2; ++i) {
    IS(QTHREAD_BADARGS, qthread_empty(bad[i]));
    IS(QTHREAD_BADARGS, qthread_fill(bad[i]));
    IS(QTHREAD_BADARGS, qthread_writeEF(bad[i], &seen));
    IS(QTHREAD_BADARGS, qthread_writeEF_const(bad[i], 1));
    IS(QTHREAD_BADARGS, qthread_writeEF_nb(bad[i], &seen));
    IS(QTHREAD_BADARGS, qthread_writeEF_const_nb(bad[i], 1));
    IS(QTHREAD_BADARGS, qthread_writeF(bad[i], &seen));
    IS(QTHREAD_BADARGS, qthread_writeF_const(bad[i], 1));
    IS(QTHREAD_BADARGS, qthread_writeFF(bad[i], &seen));
    IS(QTHREAD_BADARGS, qthread_writeFF_const(bad[i], 1));
    IS(QTHREAD_BADARGS, qthread_purge(bad[i]));
    IS(QTHREAD_BADARGS, qthread_purge_to(bad[i], &seen));
    IS(QTHREAD_BADARGS, qthread_purge_to_const(bad[i], 1));
    IS(QTHREAD_BADARGS, qthread_readFF(&seen, bad[i]));
    IS(QTHREAD_BADARGS, qthread_readFF_nb(&seen, bad[i]));
    IS(QTHREAD_BADARGS, qthread_readFE(&seen, bad[i]));
    IS(QTHREAD_BADARGS, qthread_readFE_nb(&seen, bad[i]));
    IS(QTHREAD_BADARGS, qthread_readXX(&seen, bad[i]));
  }
  IS(QTHREAD_BADARGS, qthread_writeEF(words, none));
  IS(QTHREAD_BADARGS, qthread_writeEF_nb(words, none));
  IS(QTHREAD_BADARGS, qthread_writeF(words, none));
  IS(QTHREAD_BADARGS, qthread_writeFF(words, none));
  IS(QTHREAD_BADARGS, qthread_purge_to(words, none));
  STATE(words[0], 1, 0);
}

enum { ITEMS = 300 };

struct channel {
  aligned_t word;
  aligned_t sum;
};

static aligned_t send_items(void *argument) {
  struct channel *mine = argument;
  for (aligned_t i = 1; i <= ITEMS; ++i)
    OK(i % 2 == 0 ? qthread_writeEF(&mine->word, &i) : qthread_writeEF_const(&mine->word, i));
  return 0;
}
static aligned_t take_items(void *argument) {
  struct channel *mine = argument;
  for (int i = 0; i < ITEMS; ++i) {
    aligned_t seen = 0;
    OK(qthread_readFE(&seen, &mine->word));
    qthread_incr(&mine->sum, seen);
  }
  return 0;
}
static void send_outside(void *argument) { send_items(argument); }
static void take_outside(void *argument) { take_items(argument); }

static void items_go_through_a_word(void) {
  struct channel one = {0, 0};
  aligned_t ends[4] = {0};
  OK(qthread_empty(&one.word));
  for (int i = 0; i < 2; ++i) {
    OK(qthread_fork(take_items, &one, &ends[i]));
    OK(qthread_fork(send_items, &one, &ends[2 + i]));
  }
  for (int i = 0; i < 4; ++i) OK(qthread_readFF(NULL, &ends[i]));
  CHECK(one.sum == (aligned_t)ITEMS * (ITEMS + 1) && qthread_feb_status(&one.word) == 0);
  one.sum = 0;
  OK(qthread_fork(take_items, &one, &ends[0]));
  run_outside(send_outside, &one);
  OK(qthread_readFF(NULL, &ends[0]));
  OK(qthread_fork(send_items, &one, &ends[0]));
  run_outside(take_outside, &one);
  OK(qthread_readFF(NULL, &ends[0]));
  CHECK(one.sum == (aligned_t)ITEMS * (ITEMS + 1));
  OK(qthread_fill(&one.word));
}

struct scene {
  aligned_t word;
  atomic_int number;
};
static aligned_t read_once(void *argument) {
  struct scene *mine = argument;
  aligned_t seen = 0;
  atomic_fetch_add(&mine->number, 1);
  OK(qthread_readFF(&seen, &mine->word));
  return seen;
}
static aligned_t overwrite_once(void *argument) {
  struct scene *mine = argument;
  atomic_fetch_add(&mine->number, 1);
  OK(qthread_writeFF_const(&mine->word, 8));
  return 0;
}

static void all_readers_go_on(void) {
  enum { readers = 6 };
  struct scene one = {0, 0};
  aligned_t ends[readers] = {0}, end = 0;
  OK(qthread_empty(&one.word));
  for (int i = 0; i < readers; ++i) OK(qthread_fork(read_once, &one, &ends[i]));
  await_number(&one.number, readers);
  for (int i = 0; i < readers; ++i) CHECK(qthread_feb_status(&ends[i]) == 0);
  OK(qthread_writeF_const(&one.word, 5));
  for (int i = 0; i < readers; ++i) {
    aligned_t seen = 0;
    OK(qthread_readFF(&seen, &ends[i]));
    CHECK(seen == 5);
  }
  OK(qthread_purge(&one.word));
  OK(qthread_fork(overwrite_once, &one, &end));
  await_number(&one.number, readers + 1);
  CHECK(qthread_feb_status(&end) == 0);
  OK(qthread_fill(&one.word));
  OK(qthread_readFF(NULL, &end));
  STATE(one.word, 1, 8);
}

#if IS_WEFT
static aligned_t leave_a_word_empty(void *argument) {
  aligned_t word = 0;
  OK(qthread_empty(&word));
  *(uintptr_t *)argument = (uintptr_t)&word;
  return 0;
}

static void words_of_a_stack_end_with_the_task(void) {
  for (int round = 0; round < 10; ++round) {
    uintptr_t place = 0;
    aligned_t end = 0;
    OK(qthread_fork(leave_a_word_empty, &place, &end));
    OK(qthread_readFF(NULL, &end));
    CHECK(qthread_feb_status((const aligned_t *)place) == 1);
  }
}
static aligned_t look_at_a_stack(void *argument) {
  (void)argument;
  words_of_a_stack_end_with_the_task();
  return 0;
}
#endif

static void atomic_operations(void) {
  float single = 1;
  double twice = 1;
  uint32_t small = 5;
  uint64_t large = 5;
  int place = 0, *pointer = &place;
  aligned_t word = 5;
  CHECK(qthread_fincr(&single, 2) < 1.5F && single > 2.5F && qthread_dincr(&twice, 2) < 1.5 && twice > 2.5);
  CHECK(qthread_incr32(&small, 2) == 5 && small == 7 && qthread_incr64(&large, 2) == 5 && large == 7);
  CHECK(qthread_incr_xx(&small, 1, 4) == 7 && small == 8 && qthread_incr_xx(&large, -1, 8) == 7 && large == 6);
  CHECK(qthread_incr(&word, 3) == 5 && word == 8 && qthread_cas(&word, 8, 9) == 8 && qthread_cas(&word, 8, 1) == 9 && word == 9);
  CHECK(qthread_cas32(&small, 8, 1) == 8 && small == 1 && qthread_cas64(&large, 6, 1) == 6 && large == 1);
  CHECK(qthread_cas_ptr(&pointer, &place, (int *)NULL) == &place && pointer == NULL);
}

static aligned_t in_a_task(void *argument) {
  without_waits(argument);
  answers_in_place_of_waits(argument);
  bad_arguments(argument);
  return 0;
}

#if IS_WEFT
/* What a task that ran on its reader's stack emptied there ends with the reader. */
struct lent {
  aligned_t *word;
  void *stack;
  bool ran_here;
};
static aligned_t empty_a_readers_word(void *argument) {
  struct lent *const all = argument;
  OK(qthread_empty(all->word));
  all->ran_here = qthread_tos() == all->stack;
  return 0;
}
static aligned_t lend_a_stack(void *argument) {
  struct lent *const all = argument;
  aligned_t own = 3, end = 0;
  all->word = &own;
  all->stack = qthread_tos();
  OK(qthread_fork(empty_a_readers_word, all, &end));
  OK(qthread_readFF(NULL, &end));
  CHECK(qthread_feb_status(&own) == 0);
  if (!all->ran_here) OK(qthread_fill(&own)); /* another worker ran it, on a stack of its own */
  return 0;
}
static void words_of_a_lent_stack_end_with_the_reader(void) {
  for (int i = 0; i < 50; ++i) {
    struct lent all = {NULL, NULL, false};
    run_tasks(1, lend_a_stack, &all);
    CHECK(qthread_feb_status(all.word) == 1);
  }
}
#endif

int main(void) {
  OK(qthread_initialize());
  in_a_task(NULL);
  run_tasks(8, in_a_task, NULL);
  run_outside(without_waits, NULL);
  run_outside(answers_in_place_of_waits, NULL);
  run_outside(bad_arguments, NULL);
  items_go_through_a_word();
  all_readers_go_on();
#if IS_WEFT
  words_of_a_stack_end_with_the_task();
  run_tasks(2, look_at_a_stack, NULL);
  words_of_a_lent_stack_end_with_the_reader();
#endif
  atomic_operations();
  qthread_finalize();
  return 0;
}
