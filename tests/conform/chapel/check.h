/* For the tests of both interfaces. */
#ifndef WEFT_TESTS_CONFORM_CHAPEL_CHECK_H
#define WEFT_TESTS_CONFORM_CHAPEL_CHECK_H

#include <stdio.h>
#include <stdlib.h>

#define CHECK(condition)                                                      \
  do {                                                                        \
    if (!(condition)) {                                                       \
      fprintf(stderr, "%s:%d: failed: %s\n", __FILE__, __LINE__, #condition); \
      abort();                                                                \
    }                                                                         \
  } while (0)

#endif
