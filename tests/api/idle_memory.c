/* Memory of a burst of threads goes back while all workers sleep, and no event wakes them: main
 * waits for an OS thread that looks at the statistics. */
#include <pthread.h>
#include <unistd.h>

#include <weft/report.h>

#include "check.h"

enum { THREADS = 4000, MOST_SECONDS = 100 };

static weft_event opened, seen;

static void wait_until_opened(void *unused) {
  (void)unused;
  OK(weft_event_wait(&opened));
}

static uint64_t stacks_returned(void) {
  weft_stats now = WEFT_STATS_INIT;
  OK(weft_stats_read(WEFT_ANY_WORKER, &now));
  return now.stacks_returned;
}

static void *look(void *before) {
  for (int second = 0; stacks_returned() == *(const uint64_t *)before; ++second) {
    CHECK(second < MOST_SECONDS);
    sleep(1);
  }
  OK(weft_event_set(&seen));
  return NULL;
}

static void rest_after_a_burst(void) {
  weft_thread *threads[THREADS];
  opened = seen = (weft_event)WEFT_EVENT_INIT;
  for (int i = 0; i < THREADS; ++i) threads[i] = start(wait_until_opened, NULL);
  for (int i = 0; i < THREADS; ++i) wait_for_state(threads[i], WEFT_THREAD_BLOCKED);
  OK(weft_event_set(&opened));
  OK(weft_thread_join_many(threads, THREADS));
  uint64_t before = stacks_returned();
  pthread_t observer;
  CHECK(pthread_create(&observer, NULL, look, &before) == 0);
  OK(weft_event_wait(&seen));
  CHECK(pthread_join(observer, NULL) == 0);
}

int main(void) {
  with_workers("one worker", 1, rest_after_a_burst);
  return 0;
}
