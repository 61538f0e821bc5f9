/* Start, stop, and calls out of place. */
#include <pthread.h>

#include "check.h"

static void start_and_stop(void) {
  threads_config config = THREADS_CONFIG_INIT;
  config.caller_outside = is_outside;
  const threads_status status = threads_start(&config);
  if (is_outside && status == THREADS_UNSUPPORTED && strcmp(implementation, "argobots") == 0) exit(77); /* and said why */
  OK(status);
  CHECK(threads_is_started());
  CHECK(strcmp(threads_implementation(), implementation) == 0);
  IS(THREADS_BUSY, threads_start(NULL));
  OK(threads_stop());
  CHECK(!threads_is_started());
  IS(THREADS_NOT_STARTED, threads_stop());
}

static void stop_in_vain(void *unused) {
  (void)unused;
  IS(THREADS_NOT_OWNER, threads_stop());
}

static void who_started_stops(void) {
  threads_config config = THREADS_CONFIG_INIT;
  config.caller_outside = is_outside;
  OK(threads_start(&config));
  OK(threads_join(start(stop_in_vain, NULL)));
  OK(threads_stop());
}

static void *stop_in_vain_outside(void *unused) {
  stop_in_vain(unused);
  return NULL;
}

/* An OS thread outside has no number: it is known by itself. */
static void another_one_outside_does_not_stop(void) {
  threads_config config = THREADS_CONFIG_INIT;
  config.caller_outside = is_outside;
  pthread_t other;
  OK(threads_start(&config));
  CHECK(pthread_create(&other, NULL, stop_in_vain_outside, NULL) == 0);
  CHECK(pthread_join(other, NULL) == 0);
  CHECK(threads_is_started());
  OK(threads_stop());
}

static atomic_int has_ended;

static void end_late(void *unused) {
  (void)unused;
  OK(threads_sleep_ns(3000000));
  atomic_store(&has_ended, 1);
}

static void stop_waits_for_all(void) {
  threads_config config = THREADS_CONFIG_INIT;
  config.caller_outside = is_outside;
  OK(threads_start(&config));
  atomic_store(&has_ended, 0);
  OK(threads_create(end_late, NULL, NULL));
  OK(threads_stop());
  CHECK(atomic_load(&has_ended) == 1);
}

static void configurations_that_cannot_be(void) {
  threads_config config = THREADS_CONFIG_INIT;
  config.size = 1;
  IS(THREADS_INVALID, threads_start(&config));
  config.size = sizeof config;
  config.implementation = "nosuch";
  IS(THREADS_INVALID, threads_start(&config));
  config.implementation = "../fifo";
  IS(THREADS_INVALID, threads_start(&config));
  CHECK(!threads_is_started());
}

static void before_the_start(void) {
  threads_count count = {1, 2, 3};
  CHECK(strcmp(threads_implementation(), "") == 0 && threads_worker_count() == 0 && threads_features() == 0);
  IS(THREADS_NOT_STARTED, threads_counts(&count));
  CHECK(count.queued == 1 && count.running == 2 && count.blocked == 3);
  CHECK(threads_now_ns() != 0);
}

#if !IS_INLINED /* those do not ask whether it was started */
static void ignore(void *unused) { (void)unused; }

static void calls_before_the_start(void) {
  threads_thread *thread = NULL;
  threads_list list = THREADS_LIST_INIT;
  threads_mutex mutex = THREADS_MUTEX_INIT;
  threads_cond cond = THREADS_COND_INIT;
  threads_sync sync = THREADS_SYNC_INIT;
  threads_key key = {{0, 0}};
  IS(THREADS_NOT_STARTED, threads_create(ignore, NULL, &thread));
  CHECK(thread == NULL);
  IS(THREADS_NOT_STARTED, threads_join(thread));
  IS(THREADS_NOT_STARTED, threads_sleep_ns(1));
  IS(THREADS_NOT_STARTED, threads_list_wait(&list));
  IS(THREADS_NOT_STARTED, threads_mutex_lock(&mutex));
  IS(THREADS_NOT_STARTED, threads_cond_signal(&cond));
  IS(THREADS_NOT_STARTED, threads_sync_write_ef(&sync, 1));
  CHECK(!threads_sync_is_full(&sync));
  IS(THREADS_NOT_STARTED, threads_key_create(NULL, &key));
  CHECK(threads_self_id() == 0 && threads_key_get(key) == NULL);
  threads_yield();
}
#endif

void check_life(void) {
#if !IS_INLINED
  RUN(calls_before_the_start);
#endif
  RUN(before_the_start);
  RUN(configurations_that_cannot_be);
  RUN(start_and_stop);
  RUN(who_started_stops);
  RUN(another_one_outside_does_not_stop);
  RUN(stop_waits_for_all);
  RUN(before_the_start);
}
