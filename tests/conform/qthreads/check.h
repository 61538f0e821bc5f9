/* Checks for the conformance tests of the Qthreads interface: a failed one names its place and ends
 * the program. The programs are plain Qthreads programs: built with a real Qthreads they pass, too,
 * but for what IS_WEFT guards. */
#ifndef WEFT_TESTS_CONFORM_QTHREADS_CHECK_H
#define WEFT_TESTS_CONFORM_QTHREADS_CHECK_H

#include <stdio.h>
#include <stdlib.h>

#include <qthread/qthread.h>

#ifdef QTHREAD_WEFT
#define IS_WEFT 1
#else
#define IS_WEFT 0
#endif
#ifndef IS_SLOW
#define IS_SLOW 0
#endif

#define CHECK(condition)                                                      \
  do {                                                                        \
    if (!(condition)) {                                                       \
      fprintf(stderr, "%s:%d: failed: %s\n", __FILE__, __LINE__, #condition); \
      abort();                                                                \
    }                                                                         \
  } while (0)

/* The call returns exactly this code. */
#define IS(wanted, call)                                                                           \
  do {                                                                                             \
    const int got_ = (call);                                                                       \
    if (got_ != (wanted)) {                                                                        \
      fprintf(stderr, "%s:%d: %s: wanted %s, got %d\n", __FILE__, __LINE__, #call, #wanted, got_); \
      abort();                                                                                     \
    }                                                                                              \
  } while (0)
#define OK(call) IS(QTHREAD_SUCCESS, call)

#endif
