/* Runs a body as often as it asks for memory, each time without another request. */
#ifndef WEFT_TESTS_CONFORM_QTHREADS_LACK_MEMORY_H
#define WEFT_TESTS_CONFORM_QTHREADS_LACK_MEMORY_H

#include "check.h"
#include "support/failing_requests.h"
#include "tasks.h"

static inline bool fails_at(void (*body)(void), int nth, int count) {
  fail_requests(nth, count);
  body();
  const bool has = has_failed();
  fail_requests(0, 0);
  return has;
}

/* Returns: how many more blocks there are after each request has failed once. */
static inline long blocks_lost(void (*body)(void)) {
  const long before = live_blocks();
  for (int nth = 1; fails_at(body, nth, 1); ++nth) continue;
  fails_at(body, 0, 0);
  return live_blocks() - before;
}

/* The runtime keeps some of what it got for later: what is lost is lost every time. */
static inline void lack_memory_for(void (*body)(void)) {
  enum { most_requests = 1000, times = 10 };
  for (int count = 1; count <= 3; count += 2) {
    int nth = 1;
    for (; nth < most_requests && fails_at(body, nth, count); ++nth) fails_at(body, 0, 0);
    CHECK(nth > 1 && nth < most_requests);
  }
  int time = 0;
  while (time < times && blocks_lost(body) > 0) ++time;
  CHECK(time < times);
}

#endif
