/* Each way of making a task, and of getting its value. */
#include <qthread/sinc.h>

#include "tasks.h"

enum { SMALL = 8, MIDDLE = 1024, LARGE = 5000 };

static aligned_t value_of(void *argument) { return *(aligned_t *)argument; }
static aligned_t shepherd_here(void *argument) {
  (void)argument;
  return qthread_shep();
}
static aligned_t count_one(void *argument) {
  atomic_fetch_add((atomic_int *)argument, 1);
  return 1;
}
static aligned_t all_bits(void *argument) {
  (void)argument;
  return ~(aligned_t)0;
}
static aligned_t is_own_word(void *argument) { return qthread_retloc() == argument; }

static aligned_t read_ff(aligned_t *word) {
  aligned_t seen = 0;
  OK(qthread_readFF(&seen, word));
  return seen;
}

static uint64_t read_variable(syncvar_t *variable) {
  uint64_t seen = 0;
  OK(qthread_syncvar_readFF(&seen, variable));
  return seen;
}

static void with_words(void) {
  const qthread_shepherd_id_t count = qthread_num_shepherds();
  aligned_t number = 42, word = 0;
  atomic_int calls = 0;
  OK(qthread_fork(count_one, &calls, NULL));
  qthread_flushsc();
  await_number(&calls, 1);
  OK(qthread_fork(value_of, &number, &word));
  CHECK(read_ff(&word) == 42);
  OK(qthread_fork_net(value_of, &number, &word));
  CHECK(read_ff(&word) == 42);
  for (qthread_shepherd_id_t i = 0; i < 2 * count; ++i) {
    OK(qthread_fork_to(shepherd_here, NULL, &word, i));
    CHECK(read_ff(&word) == i % count);
  }
  OK(qthread_fork(is_own_word, &word, &word));
  CHECK(read_ff(&word) == 1);
}

static void with_syncvars(void) {
  const qthread_shepherd_id_t count = qthread_num_shepherds();
  aligned_t number = 42;
  syncvar_t variable = SYNCVAR_INITIALIZER;
  OK(qthread_fork_syncvar(value_of, &number, &variable));
  CHECK(read_variable(&variable) == 42);
  OK(qthread_fork_syncvar(all_bits, NULL, &variable));
  CHECK(read_variable(&variable) == UINT64_MAX >> 4);
  for (qthread_shepherd_id_t i = 0; i < count; ++i) {
    OK(qthread_fork_syncvar_to(shepherd_here, NULL, &variable, i));
    CHECK(read_variable(&variable) == i);
  }
}

static void with_sincs(void) {
  atomic_int calls = 0;
  qt_sinc_t sinc;
  qt_sinc_init(&sinc, 0, NULL, NULL, 2);
  OK(qthread_spawn(count_one, &calls, 0, &sinc, 0, NULL, NO_SHEPHERD, QTHREAD_SPAWN_RET_SINC_VOID));
  OK(qthread_spawn(count_one, &calls, 0, &sinc, 0, NULL, 0, QTHREAD_SPAWN_RET_SINC));
  qt_sinc_wait(&sinc, NULL);
  CHECK(atomic_load(&calls) == 2);
  qt_sinc_fini(&sinc);
}

struct bytes {
  aligned_t size;
  unsigned char content[LARGE];
};

static aligned_t sum_of(void *argument) {
  const struct bytes *mine = argument;
  aligned_t sum = 0;
  CHECK(((uintptr_t)argument & 7) == 0);
  for (size_t i = 0; i + sizeof mine->size < mine->size; ++i) sum += mine->content[i];
  return sum;
}

static void copies_of(size_t size) {
  static struct bytes original;
  aligned_t words[2] = {0}, sum = 0;
  syncvar_t variables[2] = {SYNCVAR_STATIC_INITIALIZER, SYNCVAR_STATIC_INITIALIZER};
  syncvar_t last = SYNCVAR_INITIALIZER;
  aligned_t gate = 0;
  original.size = size;
  for (size_t i = 0; i + sizeof original.size < size; ++i) sum += original.content[i] = (unsigned char)(i * 7 + 1);
  OK(qthread_empty(&gate));
  OK(qthread_fork_copyargs(sum_of, &original, size, &words[0]));
  OK(qthread_fork_copyargs_to(sum_of, &original, size, (syncvar_t *)&words[1], 0));
  OK(qthread_fork_syncvar_copyargs(sum_of, &original, size, &variables[0]));
  OK(qthread_fork_syncvar_copyargs_simple(sum_of, &original, size, &variables[1]));
  OK(qthread_fork_copyargs_precond(sum_of, &original, size, &last, 1, &gate));
  memset(&original, 0xee, sizeof original); /* the tasks have copies */
  OK(qthread_fill(&gate));
  for (int i = 0; i < 2; ++i) CHECK(read_ff(&words[i]) == sum && read_variable(&variables[i]) == sum);
  CHECK(read_variable(&last) == sum);
}

/* Makes a task behind gates, whose number is count, and opens them one by one. */
#define BEHIND(gates, count, make)                                                \
  do {                                                                            \
    aligned_t word = 0;                                                           \
    atomic_int calls = 0;                                                         \
    for (int gate = 0; gate < (count); ++gate) OK(qthread_empty(&(gates)[gate])); \
    OK(make);                                                                     \
    for (int gate = 0; gate < (count); ++gate) {                                  \
      for (int turn = 0; turn < 5; ++turn) qthread_yield();                       \
      CHECK(atomic_load(&calls) == 0 && qthread_feb_status(&word) == 0);          \
      OK(qthread_fill(&(gates)[gate]));                                           \
    }                                                                             \
    CHECK(read_ff(&word) == 1 && atomic_load(&calls) == 1);                       \
  } while (0)

static void preconditions(void) {
  static aligned_t gates[20];
  aligned_t *list[20];
  for (int i = 0; i < 20; ++i) list[i] = &gates[i];
  BEHIND(gates, 1, qthread_fork_precond(count_one, &calls, &word, 1, &gates[0]));
  BEHIND(gates, 3, qthread_fork_precond(count_one, &calls, &word, 3, &gates[0], &gates[1], &gates[2]));
  BEHIND(gates, 20, qthread_fork_precond(count_one, &calls, &word, -20, list));
  BEHIND(gates, 20,
         qthread_fork_precond(count_one, &calls, &word, 20, list[0], list[1], list[2], list[3], list[4], list[5], list[6],
                              list[7], list[8], list[9], list[10], list[11], list[12], list[13], list[14], list[15], list[16],
                              list[17], list[18], list[19]));
  BEHIND(gates, 2, qthread_fork_precond_to(count_one, &calls, &word, 0, 2, &gates[0], &gates[1]));
  BEHIND(gates, 2, qthread_fork_precond_simple(count_one, &calls, &word, -2, list));

  aligned_t word = 0;
  atomic_int calls = 0; /* all full: at once */
  OK(qthread_fork_precond(count_one, &calls, &word, 2, &gates[0], &gates[1]));
  CHECK(read_ff(&word) == 1);
}

static void preconditions_that_are_syncvars(void) {
  syncvar_t gates[2] = {SYNCVAR_STATIC_EMPTY_INITIALIZER, SYNCVAR_STATIC_EMPTY_INITIALIZER};
  atomic_int calls = 0;
  aligned_t word = 0;
  void **list = malloc(3 * sizeof(void *));
  CHECK(list != NULL);
  list[0] = (void *)(uintptr_t)2;
  list[1] = &gates[0];
  list[2] = &gates[1];
  OK(qthread_spawn(count_one, &calls, 0, &word, 2, list, NO_SHEPHERD, QTHREAD_SPAWN_PC_SYNCVAR_T));
  for (int i = 0; i < 2; ++i) {
    for (int turn = 0; turn < 5; ++turn) qthread_yield_near();
    CHECK(atomic_load(&calls) == 0);
    OK(qthread_syncvar_fill(&gates[i]));
  }
  CHECK(read_ff(&word) == 1);
}

static void bad_arguments(void) {
  aligned_t words[2] = {0}, number = 1;
  void *unaligned = (char *)words + 4;
  void *list[2] = {(void *)(uintptr_t)2, words};
  IS(QTHREAD_BADARGS, qthread_fork(NULL, NULL, words));
  IS(QTHREAD_BADARGS, qthread_fork(value_of, &number, unaligned));
  IS(QTHREAD_BADARGS, qthread_fork_syncvar(value_of, &number, unaligned));
  if (IS_WEFT) IS(QTHREAD_MALLOC_ERROR, qthread_fork_copyargs(value_of, &number, SIZE_MAX, words));
  IS(QTHREAD_BADARGS, qthread_fork_precond(value_of, &number, words, 1, (aligned_t *)NULL));
  IS(QTHREAD_BADARGS, qthread_fork_precond(value_of, &number, words, 1, unaligned));
  IS(QTHREAD_BADARGS, qthread_spawn(value_of, &number, 0, words, 1, NULL, NO_SHEPHERD, 0));
  IS(QTHREAD_BADARGS, qthread_spawn(value_of, &number, 0, words, 1, list, NO_SHEPHERD, 0));
  CHECK(qthread_feb_status(words) == 1);
}

static aligned_t makes_tasks(void *argument) {
  if (argument == NULL) return 1;
  aligned_t left = 0, right = 0;
  void *fewer = (void *)((uintptr_t)argument - 1);
  OK(qthread_fork(makes_tasks, fewer, &left));
  OK(qthread_fork_copyargs(makes_tasks, fewer, 0, &right));
  return read_ff(&left) + read_ff(&right);
}

static void trees(void) {
  aligned_t word = 0;
  OK(qthread_fork(makes_tasks, (void *)(uintptr_t)9, &word));
  CHECK(read_ff(&word) == 1u << 9);
}

static void make_one(void *argument) {
  aligned_t word = 0, number = 42;
  (void)argument;
  OK(qthread_fork(value_of, &number, &word));
  CHECK(read_ff(&word) == 42);
  OK(qthread_fork_to(value_of, &number, &word, 0));
  CHECK(read_ff(&word) == 42);
}

int main(void) {
  OK(qthread_initialize());
  with_words();
  with_syncvars();
  with_sincs();
  copies_of(SMALL);
  copies_of(MIDDLE);
  copies_of(LARGE);
  preconditions();
  preconditions_that_are_syncvars();
  bad_arguments();
  trees();
  run_outside(make_one, NULL);
  qthread_finalize();
  return 0;
}
