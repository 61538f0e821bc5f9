/* Threads that yield: at one place, at another, and deeper in calls. Each runtime's file defines
 * MICRO_YIELD() before it includes this. */
#ifndef WEFT_MICRO_YIELDS_H
#define WEFT_MICRO_YIELDS_H

#include "micro.h"

static void yielder(void *argument) {
  (void)argument;
  for (long i = 0; i < MICRO_SWITCHES; ++i) MICRO_YIELD();
}

/* What is kept makes its loop differ from the other one, so that the compiler does not join
 * them. */
static void other_yielder(void *argument) {
  (void)argument;
  for (long i = 0; i < MICRO_SWITCHES; ++i) {
    MICRO_YIELD();
    micro_keep(&i);
  }
}

__attribute__((noinline)) static void yield_deeper(int depth) {
  if (depth == 0) {
    yielder(NULL);
  } else {
    yield_deeper(depth - 1);
  }
  micro_keep(&depth);
}

static void deep_yielder(void *argument) {
  (void)argument;
  yield_deeper(3);
}

#endif
