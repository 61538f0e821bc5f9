/* Blocking actions: the worker goes on with other tasks. */
#include <errno.h>
#include <qthread/io.h>

#include "tasks.h"

static int ends[2]; /* of a pipe */

static aligned_t read_byte(void *depth) {
  const unsigned id = qthread_id();
  const qthread_shepherd_id_t shepherd = qthread_shep();
  char byte = 0;
  CHECK(shepherd != NO_SHEPHERD);
  for (uintptr_t i = 0; i < (uintptr_t)depth; ++i) qt_begin_blocking_action();
  CHECK(qthread_shep() == NO_SHEPHERD && qthread_worker(NULL) == NO_WORKER && qthread_id() == id);
  CHECK(read(ends[0], &byte, 1) == 1);
  for (uintptr_t i = 1; i < (uintptr_t)depth; ++i) {
    qt_end_blocking_action();
    CHECK(qthread_shep() == NO_SHEPHERD); /* the outermost end counts */
  }
  errno = EDOM;
  qt_end_blocking_action();
  CHECK(errno == EDOM);
  CHECK(qthread_shep() != NO_SHEPHERD && qthread_id() == id);
  qthread_yield();
  return (aligned_t)byte;
}

static aligned_t write_byte(void *unused) {
  (void)unused;
  CHECK(write(ends[1], "x", 1) == 1);
  return 0;
}

/* With one worker, too: all readers block before the first writer is made. */
static void workers_are_not_kept(uintptr_t depth) {
  enum { readers = 4 };
  aligned_t read_words[readers] = {0}, written[readers] = {0};
  for (int i = 0; i < readers; ++i) OK(qthread_fork_to(read_byte, (void *)depth, &read_words[i], 0));
  for (int i = 0; i < 10; ++i) qthread_yield();
  for (int i = 0; i < readers; ++i) OK(qthread_fork_to(write_byte, NULL, &written[i], 0));
  for (int i = 0; i < readers; ++i) {
    aligned_t byte = 0;
    OK(qthread_readFF(&byte, &read_words[i]));
    CHECK(byte == 'x');
    OK(qthread_readFF(NULL, &written[i]));
  }
}

static void does_nothing(void *unused) {
  (void)unused;
  for (int i = 0; i < 2; ++i) qt_begin_blocking_action();
  CHECK(qthread_shep() == NO_SHEPHERD);
  for (int i = 0; i < 3; ++i) qt_end_blocking_action();
  CHECK(qthread_id() == QTHREAD_NULL_TASK_ID);
}

static aligned_t end_without_beginning(void *unused) {
  (void)unused;
  qt_end_blocking_action();
  CHECK(qthread_shep() != NO_SHEPHERD);
  qthread_yield();
  return 0;
}

static aligned_t words_inside(void *argument) {
  aligned_t *word = argument;
  qt_begin_blocking_action();
  OK(qthread_fill(word));
  qt_end_blocking_action();
  return 0;
}

int main(void) {
  does_nothing(NULL);
  CHECK(pipe(ends) == 0);
  OK(qthread_initialize());
  workers_are_not_kept(1);
  workers_are_not_kept(3);
  run_outside(does_nothing, NULL);
  end_without_beginning(NULL);
  run_tasks(4, end_without_beginning, NULL);
  aligned_t word = 0, end = 0;
  OK(qthread_empty(&word));
  OK(qthread_fork(words_inside, &word, &end));
  OK(qthread_readFF(NULL, &word));
  OK(qthread_readFF(NULL, &end));
  write_byte(NULL);
  CHECK(read_byte((void *)(uintptr_t)2) == 'x'); /* the main task, too */
  qthread_finalize();
  return 0;
}
