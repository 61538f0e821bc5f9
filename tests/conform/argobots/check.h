/* Checks for the conformance tests of the Argobots interface: a failed one names its place and
 * ends the program. The programs are plain Argobots programs: built with a real Argobots they
 * pass, too, but for what IS_WEFT guards. */
#ifndef WEFT_TESTS_CONFORM_ARGOBOTS_CHECK_H
#define WEFT_TESTS_CONFORM_ARGOBOTS_CHECK_H

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <abt.h>

#ifdef ABT_WEFT
#define IS_WEFT 1
#else
#define IS_WEFT 0
#endif
#ifndef IS_SLOW
#define IS_SLOW 0
#endif

extern bool is_beside; /* the caller of ABT_init is not that of weft_init: main.c */
extern const char *current_case;
#define RUN(body) ((void)(current_case = #body), body())

#define CHECK(condition)                                                                         \
  do {                                                                                           \
    if (!(condition)) {                                                                          \
      fprintf(stderr, "%s:%d: [%s] failed: %s\n", __FILE__, __LINE__, current_case, #condition); \
      abort();                                                                                   \
    }                                                                                            \
  } while (0)

const char *code_name(int code);

/* The call returns exactly this code. */
#define IS(wanted, call)                                                                                                         \
  do {                                                                                                                           \
    const int got_ = (call);                                                                                                     \
    if (got_ != (wanted)) {                                                                                                      \
      fprintf(stderr, "%s:%d: [%s] %s: wanted %s, got %s\n", __FILE__, __LINE__, current_case, #call, #wanted, code_name(got_)); \
      abort();                                                                                                                   \
    }                                                                                                                            \
  } while (0)
#define OK(call) IS(ABT_SUCCESS, call)

/* Lets others run; any kind of caller may call it. */
void breathe(void);
void wait_for(atomic_int *value, int wanted);

/* The pool of the calling stream, and of another. */
ABT_pool my_pool(void);
ABT_pool pool_of(ABT_xstream stream);
/* Runs body(argument) in an OS thread outside, while the caller breathes. */
void run_outside(void (*body)(void *), void *argument);

ABT_xstream start_stream(void);
void end_stream(ABT_xstream stream);
ABT_thread start(ABT_pool pool, void (*function)(void *), void *argument);
void end(ABT_thread thread);
/* One that any stream may serve, and that stays until it is freed. */
ABT_pool new_pool(ABT_pool_kind kind);
/* The caller acts as the pool's scheduler. False: nothing is there. */
bool run_next(ABT_pool pool);
void run_what_is_there(ABT_pool pool);
void await_blocked(ABT_thread thread);

void nothing(void *argument);
void add_one(void *argument); /* to an atomic_int, as the next two begin */
void yield_for_ever(void *argument);
void suspend_for_ever(void *argument);
/* The calling ULT is asked to end. */
void be_cancelled(void);

/* The families; those of the second kind run between ABT_init and ABT_finalize. */
void check_statics(void);
void check_life(void);
void check_primary(void);

void check_misuse(void);
void check_keys(void);
void check_locks(void);
void check_waits(void);
void check_threads(void);
void check_migration(void);
void check_streams(void);
void check_pools(void);
void check_freed_pools(void);
void check_printing(void);
void check_definitions(void);
void check_standing(void);
void check_standing_tasklet(void);
void check_standing_barrier(void);
void check_too_deep(void);
void check_switching(void);
void check_information(void);
void check_mixed(void);
void check_tools(void);
void check_main_scheds(void);
void check_old_pools(void);
void check_handing_over(void);
void check_exits(void);
void check_guards(void);
void check_tool_waits(void);

#endif
