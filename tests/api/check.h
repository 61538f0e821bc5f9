/* Checks for the C tests of the interface: a failed one names its place and ends the program. */
#ifndef WEFT_TESTS_CHECK_H
#define WEFT_TESTS_CHECK_H

#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <weft/weft.h>

#include "../support/planned_fault.h"

/* What runs now; named by a failure. */
static const char *phase = "";
static const char *current_case = "";
#define RUN(body) ((void)(current_case = #body), body())

#define CHECK(condition)                                                                                    \
  do {                                                                                                      \
    if (!(condition)) {                                                                                     \
      fprintf(stderr, "%s:%d: [%s, %s] failed: %s\n", __FILE__, __LINE__, phase, current_case, #condition); \
      tell_planned_fault(#condition, NULL);                                                                 \
      abort();                                                                                              \
    }                                                                                                       \
  } while (0)

/* The call returns exactly this status. */
#define IS(wanted, call)                                                                                         \
  do {                                                                                                           \
    const weft_status got_ = (call);                                                                             \
    if (got_ != (wanted)) {                                                                                      \
      fprintf(stderr, "%s:%d: [%s, %s] %s: wanted %s, got %s\n", __FILE__, __LINE__, phase, current_case, #call, \
              weft_status_name(wanted), weft_status_name(got_));                                                 \
      tell_planned_fault(#call, weft_status_name(got_));                                                         \
      abort();                                                                                                   \
    }                                                                                                            \
  } while (0)
#define OK(call) IS(WEFT_OK, call)

#define MICROSECOND UINT64_C(1000)
#define MILLISECOND UINT64_C(1000000)
#define SECOND UINT64_C(1000000000)

/* Lets others run; any kind of caller may call it. */
static inline void breathe(void) {
  weft_yield();
  if (weft_self() != NULL) sched_yield();
}

static inline void wait_for(atomic_int *value, int wanted) {
  while (atomic_load(value) != wanted) breathe();
}

static inline void wait_at_least(atomic_int *value, int wanted) {
  while (atomic_load(value) < wanted) breathe();
}

static inline void wait_for_state(const weft_thread *thread, weft_thread_state wanted) {
  while (weft_thread_get_state(thread) != wanted) breathe();
}

static inline void init_with(unsigned workers) {
  weft_config config = WEFT_CONFIG_INIT;
  config.workers = workers;
  OK(weft_init(&config));
}

/* Runs body with a runtime of its own. */
static inline void with_workers(const char *name, unsigned workers, void (*body)(void)) {
  phase = name;
  init_with(workers);
  CHECK(weft_worker_count() == workers);
  body();
  current_case = "finalize";
  OK(weft_finalize());
}

static inline weft_thread *start_with(const weft_thread_attr *attr, weft_function function, void *argument) {
  weft_thread *made = NULL;
  OK(weft_thread_create(function, argument, attr, &made));
  CHECK(made != NULL);
  return made;
}

static inline weft_thread *start(weft_function function, void *argument) { return start_with(NULL, function, argument); }

static inline weft_thread *start_pinned(weft_function function, void *argument, int worker) {
  weft_thread_attr attr = WEFT_THREAD_ATTR_INIT;
  attr.worker = worker;
  return start_with(&attr, function, argument);
}

static inline void nothing(void *argument) { (void)argument; }
static inline void add_one(void *argument) { atomic_fetch_add((atomic_int *)argument, 1); }

#endif
