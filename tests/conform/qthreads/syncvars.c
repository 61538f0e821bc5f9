/* Words of 60 bits that have their state inside. */
#include "tasks.h"

#define STATE(variable, is_full_, value)                                                                  \
  do {                                                                                                    \
    CHECK(qthread_syncvar_status(&(variable)) == (is_full_) && (variable).u.s.data == (uint64_t)(value)); \
  } while (0)

static const uint64_t most = UINT64_MAX >> 4;

static void without_waits(void *unused) {
  (void)unused;
  const uint64_t nine = 9;
  uint64_t seen = 1;
  syncvar_t one = SYNCVAR_STATIC_INITIALIZER;
  syncvar_t two = SYNCVAR_STATIC_EMPTY_INITIALIZE_TO(5);
  STATE(two, 0, 5);
  two = SYNCVAR_INITIALIZE_TO(6);
  STATE(two, 1, 6);
  STATE(one, 1, 0);
  OK(qthread_syncvar_readFF(&seen, &one));
  CHECK(seen == 0);
  OK(qthread_syncvar_empty(&one));
  STATE(one, 0, 0);
  OK(qthread_syncvar_fill(&one));
  STATE(one, 1, 0);
  OK(qthread_syncvar_readFE(NULL, &one));
  STATE(one, 0, 0);
  OK(qthread_syncvar_writeEF(&one, &nine));
  STATE(one, 1, 9);
  OK(qthread_syncvar_readFE(&seen, &one));
  CHECK(seen == 9);
  OK(qthread_syncvar_writeEF_const(&one, most));
  STATE(one, 1, most);
  OK(qthread_syncvar_writeF(&one, &nine));
  STATE(one, 1, 9);
  OK(qthread_syncvar_empty(&one));
  OK(qthread_syncvar_writeF_const(&one, 10));
  STATE(one, 1, 10);
  CHECK(qthread_syncvar_incrF(&one, 5) == 15);
  STATE(one, 1, 15);
}

static void answers_in_place_of_waits(void *unused) {
  (void)unused;
  const uint64_t two = 2;
  uint64_t seen = 0;
  syncvar_t one = SYNCVAR_STATIC_INITIALIZE_TO(1);
  IS(QTHREAD_OPFAIL, qthread_syncvar_writeEF_nb(&one, &two));
  IS(QTHREAD_OPFAIL, qthread_syncvar_writeEF_const_nb(&one, 2));
  OK(qthread_syncvar_readFF_nb(&seen, &one));
  CHECK(seen == 1);
  OK(qthread_syncvar_readFE_nb(&seen, &one));
  STATE(one, 0, 1);
  IS(QTHREAD_OPFAIL, qthread_syncvar_readFF_nb(&seen, &one));
  IS(QTHREAD_OPFAIL, qthread_syncvar_readFE_nb(&seen, &one));
  OK(qthread_syncvar_writeEF_nb(&one, &two));
  STATE(one, 1, 2);
  OK(qthread_syncvar_empty(&one));
  OK(qthread_syncvar_writeEF_const_nb(&one, 3));
  STATE(one, 1, 3);
}

static void bad_arguments(void *unused) {
  (void)unused;
  syncvar_t one = SYNCVAR_STATIC_INITIALIZER;
  syncvar_t *const nowhere = NULL;
  const uint64_t *const nothing = NULL;
  const uint64_t large = most + 1, small = 1;
  uint64_t seen = 0;
  IS(QTHREAD_BADARGS, qthread_syncvar_empty(nowhere));
  IS(QTHREAD_BADARGS, qthread_syncvar_fill(nowhere));
  IS(QTHREAD_BADARGS, qthread_syncvar_writeEF(nowhere, &small));
  IS(QTHREAD_BADARGS, qthread_syncvar_writeEF_const(nowhere, 1));
  IS(QTHREAD_BADARGS, qthread_syncvar_writeF(nowhere, &small));
  IS(QTHREAD_BADARGS, qthread_syncvar_writeF_const(nowhere, 1));
  IS(QTHREAD_BADARGS, qthread_syncvar_readFF(&seen, nowhere));
  IS(QTHREAD_BADARGS, qthread_syncvar_readFE(&seen, nowhere));
  IS(QTHREAD_BADARGS, qthread_syncvar_readFF_nb(&seen, nowhere));
  IS(QTHREAD_BADARGS, qthread_syncvar_readFE_nb(&seen, nowhere));
  IS(QTHREAD_BADARGS, qthread_syncvar_writeEF_nb(nowhere, &small));
  IS(QTHREAD_BADARGS, qthread_syncvar_writeEF_const_nb(nowhere, 1));
#if IS_WEFT /* Qthreads takes any address */
  uint64_t two[2] = {0, 0};
  syncvar_t *const between = (syncvar_t *)(void *)((char *)two + 3);
  IS(QTHREAD_BADARGS, qthread_syncvar_fill(between));
  IS(QTHREAD_BADARGS, qthread_syncvar_writeF_const(between, 1));
  IS(QTHREAD_BADARGS, qthread_syncvar_readFE(&seen, between));
  CHECK(two[0] == 0 && two[1] == 0);
#endif
  IS(QTHREAD_BADARGS, qthread_syncvar_writeEF(&one, nothing));
  IS(QTHREAD_BADARGS, qthread_syncvar_writeEF_nb(&one, nothing));
  IS(QTHREAD_BADARGS, qthread_syncvar_writeF(&one, nothing));
  IS(QTHREAD_OVERFLOW, qthread_syncvar_writeF(&one, &large));
  IS(QTHREAD_OVERFLOW, qthread_syncvar_writeF_const(&one, large));
  OK(qthread_syncvar_empty(&one));
  IS(QTHREAD_OVERFLOW, qthread_syncvar_writeEF(&one, &large));
  IS(QTHREAD_OVERFLOW, qthread_syncvar_writeEF_const(&one, large));
  IS(QTHREAD_OVERFLOW, qthread_syncvar_writeEF_nb(&one, &large));
  IS(QTHREAD_OVERFLOW, qthread_syncvar_writeEF_const_nb(&one, large));
  STATE(one, 0, 0);
}

static void numbers_in_60_bits(void) {
  const int64_t five = 5;
  const uint64_t minus = (uint64_t)-five;
  CHECK(INT60TOINT64(INT64TOINT60(minus)) == -five && INT60TOINT64(INT64TOINT60((uint64_t)five)) == five);
  double in = 2.5, out = 0;
  uint64_t bits = 0;
  DBL64TODBL60(in, bits);
  CHECK(bits <= most);
  DBL60TODBL64(bits, out);
  CHECK(memcmp(&in, &out, sizeof in) == 0);
}

enum { ITEMS = 300 };

struct channel {
  syncvar_t variable;
  aligned_t sum;
};

static aligned_t send_items(void *argument) {
  struct channel *mine = argument;
  for (uint64_t i = 1; i <= ITEMS; ++i)
    OK(i % 2 == 0 ? qthread_syncvar_writeEF(&mine->variable, &i) : qthread_syncvar_writeEF_const(&mine->variable, i));
  return 0;
}
static aligned_t take_items(void *argument) {
  struct channel *mine = argument;
  for (int i = 0; i < ITEMS; ++i) {
    uint64_t seen = 0;
    OK(qthread_syncvar_readFE(&seen, &mine->variable));
    qthread_incr(&mine->sum, seen);
  }
  return 0;
}
static void take_outside(void *argument) { take_items(argument); }

static void items_go_through_a_syncvar(void) {
  struct channel one = {SYNCVAR_STATIC_EMPTY_INITIALIZER, 0};
  aligned_t ends[4] = {0};
  for (int i = 0; i < 2; ++i) {
    OK(qthread_fork(take_items, &one, &ends[i]));
    OK(qthread_fork(send_items, &one, &ends[2 + i]));
  }
  for (int i = 0; i < 4; ++i) OK(qthread_readFF(NULL, &ends[i]));
  CHECK(one.sum == (aligned_t)ITEMS * (ITEMS + 1) && qthread_syncvar_status(&one.variable) == 0);
  OK(qthread_fork(send_items, &one, &ends[0]));
  run_outside(take_outside, &one);
  OK(qthread_readFF(NULL, &ends[0]));
}

static aligned_t add_many(void *argument) {
  for (int i = 0; i < ITEMS; ++i) qthread_syncvar_incrF(argument, 1);
  return 0;
}

static aligned_t in_a_task(void *argument) {
  without_waits(argument);
  answers_in_place_of_waits(argument);
  bad_arguments(argument);
  return 0;
}

int main(void) {
  OK(qthread_initialize());
  CHECK(sizeof(syncvar_t) == 8);
  numbers_in_60_bits();
  in_a_task(NULL);
  run_tasks(8, in_a_task, NULL);
  run_outside(without_waits, NULL);
  run_outside(answers_in_place_of_waits, NULL);
  run_outside(bad_arguments, NULL);
  items_go_through_a_syncvar();
  syncvar_t sum = SYNCVAR_STATIC_INITIALIZER;
  run_tasks(6, add_many, &sum);
  STATE(sum, 1, 6 * ITEMS);
  qthread_finalize();
  return 0;
}
