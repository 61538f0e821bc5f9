/* What several of these programs do with tasks, OS threads and what is printed. */
#ifndef WEFT_TESTS_CONFORM_QTHREADS_TASKS_H
#define WEFT_TESTS_CONFORM_QTHREADS_TASKS_H

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#include "check.h"

/* Makes count tasks that run function(argument), and waits for them. */
static inline void run_tasks(unsigned count, qthread_f function, void *argument) {
  aligned_t *ends = calloc(count, sizeof(aligned_t));
  CHECK(ends != NULL);
  for (unsigned i = 0; i < count; ++i) OK(qthread_fork(function, argument, &ends[i]));
  for (unsigned i = 0; i < count; ++i) OK(qthread_readFF(NULL, &ends[i]));
  free(ends);
}

/* Lets other tasks and OS threads run until a number has a value. */
static inline void await_number(atomic_int *number, int wanted) {
  while (atomic_load(number) != wanted) {
    qthread_yield();
    sched_yield();
  }
}

struct outside_call {
  void (*body)(void *);
  void *argument;
  atomic_int is_done;
};

static inline void *run_outside_call(void *argument) {
  struct outside_call *call = argument;
  call->body(call->argument);
  atomic_store(&call->is_done, 1);
  return NULL;
}

/* Runs body(argument) in an OS thread outside, while the caller lets others run. */
static inline void run_outside(void (*body)(void *), void *argument) {
  struct outside_call call = {body, argument, 0};
  pthread_t thread;
  CHECK(pthread_create(&thread, NULL, run_outside_call, &call) == 0);
  await_number(&call.is_done, 1);
  CHECK(pthread_join(thread, NULL) == 0);
}

/* What body prints on stdout; to be freed. */
static inline char *printed_by(void (*body)(void *), void *argument) {
  FILE *file = tmpfile();
  CHECK(file != NULL);
  fflush(stdout);
  const int kept = dup(STDOUT_FILENO);
  CHECK(kept >= 0 && dup2(fileno(file), STDOUT_FILENO) >= 0);
  body(argument);
  fflush(stdout);
  CHECK(dup2(kept, STDOUT_FILENO) >= 0);
  close(kept);
  CHECK(fseek(file, 0, SEEK_END) == 0);
  const long length = ftell(file);
  CHECK(length >= 0);
  char *text = calloc((size_t)length + 1, 1);
  CHECK(text != NULL);
  rewind(file);
  CHECK(fread(text, 1, (size_t)length, file) == (size_t)length);
  fclose(file);
  return text;
}

#endif
