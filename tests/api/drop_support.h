/* What the tests of weft_finalize_with share. */
#ifndef WEFT_TESTS_DROP_SUPPORT_H
#define WEFT_TESTS_DROP_SUPPORT_H

#include <weft/weft.h>

#include "check.h"
#include "said.h"

static atomic_int passed; /* by a thread that should have been dropped before */

static inline void drop(void) { OK(weft_finalize_with(WEFT_DROP)); }

static inline void is_told(int threads, int ready, int blocked) {
  char line[128];
  snprintf(line, sizeof line, "weft: dropped %d thread%s at the end, %d ready, %d blocked;", threads, threads == 1 ? "" : "s",
           ready, blocked);
  CHECK(lines_with(line) == 1);
}

static weft_event never = WEFT_EVENT_INIT;
static weft_mutex held = WEFT_MUTEX_INIT;
static weft_semaphore semaphore = WEFT_SEMAPHORE_INIT(0);
static atomic_int arrived;

static inline void arrive(void) { atomic_fetch_add(&arrived, 1); }

static inline void prepare_objects(void) {
  never = (weft_event)WEFT_EVENT_INIT;
  held = (weft_mutex)WEFT_MUTEX_INIT;
  semaphore = (weft_semaphore)WEFT_SEMAPHORE_INIT(0);
  atomic_store(&arrived, 0);
}

/* ---- threads that never end ---- */

static inline void wait_for_event(void *argument) {
  (void)argument;
  arrive();
  OK(weft_event_wait(&never));
  add_one(&passed);
}
static inline void yield_for_ever(void *argument) {
  (void)argument;
  arrive();
  for (;;) weft_yield();
}

#endif
