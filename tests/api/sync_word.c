/* Words of the program's own: which callers wait, which are woken, in which order, and what is
 * refused. */
#include <pthread.h>

#include "check.h"

enum { WAITERS = 6, ROUNDS = IS_SLOW ? 300 : 3000 };

static void refuses_bad_arguments(void) {
  uint64_t word = 0;
  char *const bytes = (char *)&word;
  IS(WEFT_INVALID, weft_word_wait(NULL, 4, 0, WEFT_FOREVER));
  IS(WEFT_INVALID, weft_word_wait(&word, 2, 0, WEFT_FOREVER));
  IS(WEFT_INVALID, weft_word_wait(bytes + 2, 4, 0, WEFT_FOREVER));
  IS(WEFT_INVALID, weft_word_wait(bytes + 4, 8, 0, WEFT_FOREVER));
  CHECK(weft_word_wake(NULL, 1) == 0 && weft_word_wake(&word, 1) == 0);
}

/* Another value ends the call at once; of a word of 4 bytes only those count. */
static void compares_first(void) {
  _Atomic uint64_t wide = UINT64_C(1) << 40;
  _Atomic uint32_t narrow[2] = {5, 6};
  IS(WEFT_AGAIN, weft_word_wait(&wide, 8, 0, WEFT_FOREVER));
  IS(WEFT_AGAIN, weft_word_wait(&narrow[0], 4, 6, WEFT_FOREVER));
  IS(WEFT_TIMEOUT, weft_word_wait(&narrow[0], 4, 5, 0));
  atomic_store(&narrow[0], UINT32_MAX);
  IS(WEFT_TIMEOUT, weft_word_wait(&narrow[0], 4, UINT64_MAX, 0)); /* as -1 is converted */
  IS(WEFT_TIMEOUT, weft_word_wait(&wide, 8, UINT64_C(1) << 40, weft_deadline_in(MILLISECOND)));
  CHECK(weft_word_wake(&wide, 1) == 0); /* the one that timed out waits no more */
}

struct gate {
  _Atomic uint32_t word;
  atomic_int passed;
  uint64_t deadline_ns;
};

static void pass(void *argument) {
  struct gate *gate = argument;
  while (atomic_load(&gate->word) == 0) {
    const weft_status status = weft_word_wait(&gate->word, 4, 0, gate->deadline_ns);
    CHECK(status == WEFT_OK || status == WEFT_AGAIN);
  }
  atomic_fetch_add(&gate->passed, 1);
}

static void *pass_outside(void *gate) {
  pass(gate);
  return NULL;
}

/* ULTs and OS threads at one word; all are woken, and the word goes at once. */
static void opens_gates(uint64_t deadline_ns) {
  for (int round = 0; round < ROUNDS / 100; ++round) {
    struct gate gate = {0, 0, deadline_ns};
    weft_thread *threads[WAITERS];
    pthread_t os_thread;
    for (int i = 0; i < WAITERS; ++i) threads[i] = start(pass, &gate);
    CHECK(pthread_create(&os_thread, NULL, pass_outside, &gate) == 0);
    if (round % 2 == 0) wait_for_state(threads[0], WEFT_THREAD_BLOCKED);
    atomic_store(&gate.word, 1);
    CHECK(weft_word_wake(&gate.word, SIZE_MAX) <= WAITERS + 1);
    wait_for(&gate.passed, WAITERS + 1);
    for (int i = 0; i < WAITERS; ++i) OK(weft_thread_join(threads[i]));
    CHECK(pthread_join(os_thread, NULL) == 0);
  }
}

/* First come, first served, and no more than count. */
struct line {
  _Atomic uint32_t word;
  atomic_int served;
  int places[WAITERS];
};
struct one_in_line {
  struct line *line;
  int number;
};

static void stand_in_line(void *argument) {
  const struct one_in_line mine = *(struct one_in_line *)argument;
  OK(weft_word_wait(&mine.line->word, 4, 0, WEFT_FOREVER));
  mine.line->places[mine.number] = atomic_fetch_add(&mine.line->served, 1);
}

static void serves_in_order(void) {
  struct line line = {0, 0, {0}};
  weft_thread *threads[WAITERS];
  for (int i = 0; i < WAITERS; ++i) {
    const struct one_in_line mine = {&line, i};
    OK(weft_thread_create_copy(stand_in_line, &mine, sizeof mine, NULL, &threads[i]));
    wait_for_state(threads[i], WEFT_THREAD_BLOCKED);
  }
  CHECK(weft_word_wake(&line.word, 0) == 0);
  for (int i = 0; i < WAITERS; ++i) {
    CHECK(weft_word_wake(&line.word, 1) == 1);
    wait_for(&line.served, i + 1);
  }
  for (int i = 0; i < WAITERS; ++i) {
    OK(weft_thread_join(threads[i]));
    CHECK(line.places[i] == i);
  }
}

static void try_in_tasklet(void *argument) { IS(WEFT_CANNOT_BLOCK, weft_word_wait(argument, 8, 0, WEFT_FOREVER)); }

static void refuses_tasklets(void) {
  uint64_t word = 0;
  weft_thread *tasklet;
  OK(weft_tasklet_create(try_in_tasklet, &word, NULL, &tasklet));
  OK(weft_thread_join(tasklet));
}

static void all(void) {
  RUN(refuses_bad_arguments);
  RUN(compares_first);
  current_case = "opens_gates";
  opens_gates(WEFT_FOREVER);
  opens_gates(weft_deadline_in(1000 * SECOND));
  RUN(serves_in_order);
  RUN(refuses_tasklets);
}

int main(void) {
  with_workers("one worker", 1, all);
  with_workers("three workers", 3, all);
  return 0;
}
