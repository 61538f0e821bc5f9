/* Several parts of a program start the runtime: what a layer has started grows to what the program
 * asks for; elsewhere the first one's settings hold, and a line names those that were ignored. */
#include <pthread.h>
#include <sched.h>

#include <weft/ext.h>

#include "said.h"

static void init_layer(void) {
  weft_config config = WEFT_CONFIG_INIT;
  config.workers = 1;
  config.locality = WEFT_LOCALITY_STRICT;
  OK(weft_ext_init(&config));
  CHECK(weft_worker_count() == 1);
}

static void end(int times) {
  for (int i = 0; i < times; ++i) OK(weft_finalize());
  CHECK(!weft_is_initialized());
}

/* None goes on before all are there: they need a worker each, and the maker is on the first. */
static void meet(void *arrived) {
  atomic_fetch_add((atomic_int *)arrived, 1);
  while (atomic_load((atomic_int *)arrived) < 3) sched_yield();
}

static void threads_run_in_parallel(void) {
  atomic_int arrived = 0;
  weft_thread *threads[2];
  for (int i = 0; i < 2; ++i) threads[i] = start(meet, &arrived);
  meet(&arrived);
  OK(weft_thread_join_many(threads, 2));
}

static void layer_first(void) {
  init_layer();
  init_with(3);
  CHECK(weft_worker_count() == 3);
  threads_run_in_parallel();
  CHECK(lines_with("weft:") == 0);
  init_with(5); /* the program has said what it wants */
  CHECK(weft_worker_count() == 3);
  CHECK(lines_with("workers 5 (there are 3)") == 1);
  end(3);
}

/* A layer that does not want to nest finds out in one call. */
static void layer_alone(void) {
  weft_config config = WEFT_CONFIG_INIT;
  config.workers = 1;
  config.locality = WEFT_LOCALITY_STRICT;
  OK(weft_ext_start(&config));
  IS(WEFT_BUSY, weft_ext_start(&config));
  init_with(3);
  IS(WEFT_BUSY, weft_ext_start(NULL));
  CHECK(weft_worker_count() == 3);
  threads_run_in_parallel();
  CHECK(lines_with("weft:") == 0);
  end(2);
  config.size = 3;
  IS(WEFT_INVALID, weft_ext_start(&config));
  CHECK(lines_with("weft:") == 1);
  CHECK(!weft_is_initialized());
}

enum { rounds = 200 };
static atomic_int started, ended; /* calls of all rounds */

static void *start_beside(void *given) {
  (void)given;
  for (int i = 0; i < rounds; ++i) {
    while (atomic_load(&started) < 2 * i + 1) sched_yield();
    const weft_status status = weft_ext_start(NULL);
    if (status == WEFT_BUSY) { /* the other start is over: this OS thread can become a worker */
      OK(weft_worker_adopt(NULL));
      CHECK(weft_self() != NULL);
      atomic_fetch_add(&started, 1);
      OK(weft_worker_leave());
    } else {
      OK(status);
      atomic_fetch_add(&started, 1);
      while (atomic_load(&ended) == i) weft_yield(); /* the runtime ends on this OS thread */
      OK(weft_finalize());
    }
  }
  return NULL;
}

static void at_the_same_time(void) {
  pthread_t other;
  CHECK(pthread_create(&other, NULL, start_beside, NULL) == 0);
  for (int i = 0; i < rounds; ++i) {
    atomic_fetch_add(&started, 1);
    OK(weft_init(NULL));
    while (atomic_load(&started) < 2 * i + 2) weft_yield();
    OK(weft_finalize());
    atomic_fetch_add(&ended, 1);
    while (weft_is_initialized()) sched_yield();
  }
  CHECK(pthread_join(other, NULL) == 0);
}

static void by_the_environment(void) {
  CHECK(setenv("WEFT_WORKERS", "2", 1) == 0);
  init_layer();
  init_layer(); /* another layer */
  OK(weft_init(NULL));
  CHECK(weft_worker_count() == 2);
  CHECK(unsetenv("WEFT_WORKERS") == 0);
  end(3);
}

static void program_first(void) {
  init_with(2);
  weft_config config = WEFT_CONFIG_INIT;
  OK(weft_ext_init(NULL));
  OK(weft_init(NULL));
  OK(weft_init(&config));
  config.workers = 2;
  OK(weft_init(&config));
  CHECK(lines_with("weft:") == 0); /* nothing differs */
  config.workers = 7;
  config.stack_bytes = 1 << 20;
  config.bind = true;
  config.topology = "core:4";
  for (int i = 0; i < 2; ++i) OK(weft_init(&config)); /* told once */
  CHECK(weft_worker_count() == 2);
  CHECK(lines_with("workers 7 (there are 2), stack_bytes 1048576 (they are 196608), bind, topology") == 1);
  end(7);
}

static void bad_settings(void) {
  init_layer();
  weft_config config = WEFT_CONFIG_INIT;
  config.workers = 1000000;
  IS(WEFT_INVALID, weft_init(&config));
  config.size = 3;
  IS(WEFT_INVALID, weft_init(&config));
  CHECK(lines_with("weft:") == 2);
  init_with(2); /* may still grow */
  CHECK(weft_worker_count() == 2);
  config.size = 3;
  IS(WEFT_INVALID, weft_init(&config));
  CHECK(lines_with("weft:") == 1);
  end(2);
}

int main(void) {
  phase = "in turn";
  listen_to_library();
  RUN(layer_first);
  RUN(layer_alone);
  if (getenv("WEFT_SCHEDULE") == NULL) RUN(at_the_same_time); /* there no OS thread is adopted */
  RUN(by_the_environment);
  RUN(program_first);
  RUN(bad_settings);
  return 0;
}
