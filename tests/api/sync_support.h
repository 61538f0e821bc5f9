/* What the tests of synchronisation share: checks, and teams of callers that are ULTs and OS
 * threads mixed. Each test program runs its cases with OS threads alone, before weft_init, then
 * with one worker, then with several. */
#ifndef WEFT_TESTS_SYNC_SUPPORT_H
#define WEFT_TESTS_SYNC_SUPPORT_H

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <weft/weft.h>

#include "../support/planned_fault.h"

#define CHECK(condition)                                                                 \
  do {                                                                                   \
    if (!(condition)) {                                                                  \
      fprintf(stderr, "%s:%d: %s: failed: %s\n", __FILE__, __LINE__, phase, #condition); \
      tell_planned_fault(#condition, NULL);                                              \
      abort();                                                                           \
    }                                                                                    \
  } while (0)
/* The call returns WEFT_OK. */
#define IS_OK(call)                                                                                         \
  do {                                                                                                      \
    const weft_status got_ = (call);                                                                        \
    if (got_ != WEFT_OK) {                                                                                  \
      fprintf(stderr, "%s:%d: %s: %s: got %s\n", __FILE__, __LINE__, phase, #call, weft_status_name(got_)); \
      tell_planned_fault(#call, weft_status_name(got_));                                                    \
      abort();                                                                                              \
    }                                                                                                       \
  } while (0)

#define MILLISECOND UINT64_C(1000000)
#define SECOND (1000 * MILLISECOND)

static const char *phase = "";

/* Lets others run; any kind of caller may call it. */
static inline void breathe(void) {
  weft_yield();
  if (weft_self() != NULL) sched_yield();
}

static inline void wait_for(atomic_int *value, int wanted) {
  while (atomic_load(value) != wanted) breathe();
}

/* ---- one caller ---- */

struct caller {
  void (*body)(void *argument, int index);
  void *argument;
  int index;
  weft_thread *ult; /* null: an OS thread */
  pthread_t os_thread;
  atomic_int has_ended;
};

static inline void run_caller(void *memory) {
  struct caller *self = memory;
  self->body(self->argument, self->index);
  atomic_store(&self->has_ended, 1);
}

static inline void *run_outside(void *memory) {
  run_caller(memory);
  return NULL;
}

static inline void start_caller(struct caller *one, bool as_ult, void (*body)(void *, int), void *argument, int index) {
  *one = (struct caller){.body = body, .argument = argument, .index = index, .ult = NULL};
  if (as_ult) {
    IS_OK(weft_thread_create(run_caller, one, NULL, &one->ult));
  } else {
    CHECK(pthread_create(&one->os_thread, NULL, run_outside, one) == 0);
  }
}

static inline void end_caller(struct caller *one) {
  if (one->ult != NULL) {
    IS_OK(weft_thread_join(one->ult));
  } else {
    if (weft_self() != NULL) wait_for(&one->has_ended, 1); /* other ULTs of this worker must go on meanwhile */
    CHECK(pthread_join(one->os_thread, NULL) == 0);
  }
}

/* Waits until a ULT is blocked, or was so for a short time and has ended; what an OS thread does
 * cannot be seen. */
static inline void wait_until_blocked(const struct caller *one) {
  while (weft_thread_get_state(one->ult) != WEFT_THREAD_BLOCKED && atomic_load(&one->has_ended) == 0) breathe();
}

/* ---- a team ---- */

enum { MOST_CALLERS = 64 };
struct team {
  int count;
  struct caller callers[MOST_CALLERS];
};

/* Every other caller is a ULT, once there is a runtime. */
static inline void start_team(struct team *team, int count, void (*body)(void *, int), void *argument) {
  CHECK(count <= MOST_CALLERS);
  team->count = count;
  for (int i = 0; i < count; ++i) start_caller(&team->callers[i], weft_is_initialized() && i % 2 == 0, body, argument, i);
}

static inline void end_team(struct team *team) {
  for (int i = 0; i < team->count; ++i) end_caller(&team->callers[i]);
}

static inline void run_team(int count, void (*body)(void *, int), void *argument) {
  struct team team;
  start_team(&team, count, body, argument);
  end_team(&team);
}

/* ---- tasklets ---- */

/* What call(argument) returns in a tasklet. */
struct tasklet_call {
  weft_status (*call)(void *argument);
  void *argument;
  weft_status result;
};

static inline void run_tasklet_call(void *memory) {
  struct tasklet_call *one = memory;
  one->result = one->call(one->argument);
}

static inline weft_status in_tasklet(weft_status (*call)(void *), void *argument) {
  struct tasklet_call one = {call, argument, WEFT_OK};
  weft_thread *tasklet;
  IS_OK(weft_tasklet_create(run_tasklet_call, &one, NULL, &tasklet));
  IS_OK(weft_thread_join(tasklet));
  return one.result;
}

/* ---- all phases ---- */

static inline void run_with_workers(const char *name, unsigned workers, void (*anywhere)(void), void (*with_runtime)(void)) {
  phase = name;
  weft_config config = WEFT_CONFIG_INIT;
  config.workers = workers;
  IS_OK(weft_init(&config));
  anywhere();
  with_runtime();
  IS_OK(weft_finalize());
}

/* anywhere: cases that OS threads alone can run; with_runtime: cases that need ULTs. */
static inline int run_phases(void (*anywhere)(void), void (*with_runtime)(void)) {
  phase = "before weft_init";
  anywhere();
  run_with_workers("one worker", 1, anywhere, with_runtime);
  run_with_workers("four workers", 4, anywhere, with_runtime);
  phase = "after weft_finalize";
  anywhere();
  return 0;
}

#endif
