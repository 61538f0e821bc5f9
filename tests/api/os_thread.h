/* OS threads of a test's own, beside those of the library. */
#ifndef WEFT_TESTS_OS_THREAD_H
#define WEFT_TESTS_OS_THREAD_H

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

#include "check.h"

/* Runs body on an OS thread of its own. The caller, a thread of Weft, lets others run meanwhile. */
struct os_thread {
  void (*body)(void *argument);
  void *argument;
  pthread_t handle;
  atomic_int has_ended;
};

static inline void *run_body(void *argument) {
  struct os_thread *mine = argument;
  mine->body(mine->argument);
  atomic_store(&mine->has_ended, 1);
  return NULL;
}

static inline void begin(struct os_thread *one, void (*body)(void *argument), void *argument) {
  one->body = body;
  one->argument = argument;
  atomic_init(&one->has_ended, 0);
  CHECK(pthread_create(&one->handle, NULL, run_body, one) == 0);
}

static inline void join(struct os_thread *one) {
  wait_for(&one->has_ended, 1);
  CHECK(pthread_join(one->handle, NULL) == 0);
}

static inline void on_os_thread(void (*body)(void *argument), void *argument) {
  struct os_thread one;
  begin(&one, body, argument);
  join(&one);
}

/* The OS thread computes: it lets no thread of Weft run. */
static inline void compute_until(atomic_int *value, int wanted) {
  while (atomic_load(value) < wanted) sched_yield();
}

#endif
