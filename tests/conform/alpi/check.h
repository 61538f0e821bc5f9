/* Checks for the conformance tests of ALPI: a failed one names its place and ends the program. */
#ifndef WEFT_TESTS_CONFORM_ALPI_CHECK_H
#define WEFT_TESTS_CONFORM_ALPI_CHECK_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <alpi.h>
#include <weft/weft.h>

#define CHECK(condition)                                                      \
  do {                                                                        \
    if (!(condition)) {                                                       \
      fprintf(stderr, "%s:%d: failed: %s\n", __FILE__, __LINE__, #condition); \
      abort();                                                                \
    }                                                                         \
  } while (0)

#define OK(call) CHECK((call) == ALPI_SUCCESS)

/* The call returns this error, and weft_last_error() has this text. */
#define FAILS(error, call, text)                                                               \
  do {                                                                                         \
    CHECK((call) == (error));                                                                  \
    if (strstr(weft_last_error(), text) == NULL) {                                             \
      fprintf(stderr, "%s:%d: %s: said '%s'\n", __FILE__, __LINE__, #call, weft_last_error()); \
      abort();                                                                                 \
    }                                                                                          \
  } while (0)

static inline void start(unsigned workers) {
  weft_config config = WEFT_CONFIG_INIT;
  config.workers = workers;
  CHECK(weft_init(&config) == WEFT_OK);
}

static inline struct alpi_task *self(void) {
  struct alpi_task *task = NULL;
  OK(alpi_task_self(&task));
  return task;
}

#endif
