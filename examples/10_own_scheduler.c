/* A scheduler of one's own, itself a thread: it runs two urgent jobs for one of the background,
 * until all have ended. It may run beside others, and within another: each runs only what it
 * takes out of its own pools. */
#include <stdio.h>

#include <weft/ext.h>
#include <weft/weft.h>

#include "must.h"

enum { jobs = 4 };

static weft_pool *pools[2]; /* urgent, background */
static int ended;           /* touched on one worker only */

static void job(void *argument) {
  printf("%s ", (const char *)argument);
  ++ended;
}

static void schedule(void *argument) {
  (void)argument;
  for (unsigned turn = 0; ended < 2 * jobs && !weft_ext_should_stop(); ++turn) {
    const int preferred = turn % 3 == 2 ? 1 : 0;
    weft_thread *unit = weft_ext_pool_pop(pools[preferred]);
    if (unit == NULL) unit = weft_ext_pool_pop(pools[1 - preferred]);
    if (unit != NULL) {
      must(weft_ext_dispatch(unit)); /* returns when the job has ended, yielded or parked */
    } else {
      must(weft_ext_wait_for_work(pools, 2, WEFT_FOREVER, NULL, NULL));
    }
  }
}

int main(void) {
  weft_config config = WEFT_CONFIG_INIT;
  config.workers = 1;
  must(weft_init(&config));
  weft_thread *threads[2 * jobs];
  static char urgent[jobs][3] = {"u1", "u2", "u3", "u4"}, background[jobs][3] = {"b1", "b2", "b3", "b4"};
  for (int i = 0; i < 2; ++i) {
    must(weft_pool_create(WEFT_POOL_FIFO, WEFT_POOL_SHARED, &pools[i]));
    weft_thread_attr attr = WEFT_THREAD_ATTR_INIT;
    attr.pool = pools[i];
    must(weft_thread_create_many(job, i == 0 ? urgent : background, sizeof urgent[0], jobs, &attr, threads + i * jobs));
  }
  weft_thread *scheduler;
  must(weft_thread_create(schedule, NULL, NULL, &scheduler));
  must(weft_thread_join_many(threads, 2 * jobs));
  must(weft_thread_join(scheduler));
  printf("\n");
  for (int i = 0; i < 2; ++i) must(weft_pool_destroy(pools[i]));
  must(weft_finalize());
  return 0;
}
