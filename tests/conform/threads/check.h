/* Checks for the conformance tests of the threads interface: a failed one names its place and
 * ends the program. */
#ifndef WEFT_TESTS_CONFORM_THREADS_CHECK_H
#define WEFT_TESTS_CONFORM_THREADS_CHECK_H

#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <weft_threads/threads.h>

/* As main was called, and what it is doing. */
extern const char *implementation;
extern bool is_outside; /* the caller of threads_start stays outside */
extern const char *current_case;
#define RUN(body) ((void)(current_case = #body), body())

#define CHECK(condition)                                                                                             \
  do {                                                                                                               \
    if (!(condition)) {                                                                                              \
      fprintf(stderr, "%s:%d: [%s, %s] failed: %s\n", __FILE__, __LINE__, implementation, current_case, #condition); \
      abort();                                                                                                       \
    }                                                                                                                \
  } while (0)

/* The call returns exactly this status. */
#define IS(wanted, call)                                                                                                  \
  do {                                                                                                                    \
    const threads_status got_ = (call);                                                                                   \
    if (got_ != (wanted)) {                                                                                               \
      fprintf(stderr, "%s:%d: [%s, %s] %s: wanted %s, got %s\n", __FILE__, __LINE__, implementation, current_case, #call, \
              threads_status_name(wanted), threads_status_name(got_));                                                    \
      abort();                                                                                                            \
    }                                                                                                                     \
  } while (0)
#define OK(call) IS(THREADS_OK, call)

static inline threads_thread *start(threads_function function, void *argument) {
  threads_thread *made = NULL;
  OK(threads_create(function, argument, &made));
  CHECK(made != NULL);
  return made;
}

static inline void wait_for(atomic_int *value, int wanted) {
  while (atomic_load(value) != wanted) threads_yield();
}

/* Also where no implementation runs. */
static inline void let_others_run(void) {
  if (threads_is_started()) {
    threads_yield();
  } else {
    sched_yield();
  }
}

/* No more threads than these wait for each other here: an implementation with a limit has so
 * many OS threads. */
enum { workers = 4 };

void check_life(void);
void check_threads(void);
void check_lists(void);
void check_mutexes(void);
void check_syncs(void);
void check_keys(void);
void check_queries(void);
/* Also before the start and after the stop. */
void check_libraries(void);
void check_progress(void);
/* Over the start. */
void take_a_lock_before_the_start(void);
void check_a_lock_over_the_start(void);
void check_that_this_is_still_main(void);

#endif
