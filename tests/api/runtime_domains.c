/* WEFT_LOCALITY_DOMAIN: workers that come to a domain, found one, are the last to leave one;
 * many under one cache, many caches. */
#include <pthread.h>

#include "check.h"

static void init_domains(const char *name, unsigned workers, const char *topology) {
  phase = name;
  weft_config config = WEFT_CONFIG_INIT;
  config.workers = workers;
  config.locality = WEFT_LOCALITY_DOMAIN;
  config.topology = topology;
  OK(weft_init(&config));
  CHECK(weft_worker_count() == workers);
}

/* The caller keeps its worker: others must come for what it makes. */
static void others_run_what_is_made_here(void) {
  atomic_int ran = 0;
  for (int i = 0; i < 20; ++i) OK(weft_thread_create(add_one, &ran, NULL, NULL));
  while (atomic_load(&ran) != 20) sched_yield();
}

static void added_worker_works(void) {
  for (int round = 0; round < 5; ++round) {
    unsigned index;
    OK(weft_worker_add(&index));
    CHECK(index == 1);
    OK(weft_sleep_ns(MILLISECOND)); /* it finds nothing, and goes to sleep */
    RUN(others_run_what_is_made_here);
    OK(weft_worker_remove(index));
    CHECK(weft_worker_count() == 1);
  }
}

struct crowd {
  atomic_int has_come;
  atomic_int stop;
  atomic_int ended;
};

static void yield_until_told(void *argument) {
  struct crowd *crowd = argument;
  atomic_fetch_add(&crowd->has_come, 1);
  while (atomic_load(&crowd->stop) == 0) weft_yield();
  atomic_fetch_add(&crowd->ended, 1);
}

static void start_crowd(void *argument) {
  for (int i = 0; i < 8; ++i) OK(weft_thread_create(yield_until_told, argument, NULL, NULL));
}

static void *make_from_outside(void *argument) {
  for (int i = 0; i < 100; ++i) OK(weft_thread_create(add_one, argument, NULL, NULL));
  return NULL;
}

/* All that is in its queue, and whatever comes to it later, goes to those that remain. */
static void last_one_leaves_nothing_behind(void) {
  for (int round = 0; round < 5; ++round) {
    unsigned index;
    OK(weft_worker_add(&index));
    struct crowd crowd = {0};
    OK(weft_thread_join(start_pinned(start_crowd, &crowd, (int)index)));
    OK(weft_worker_remove(index));
    wait_for(&crowd.has_come, 8);
    atomic_store(&crowd.stop, 1);
    wait_for(&crowd.ended, 8);
    atomic_int ran = 0;
    pthread_t outside;
    CHECK(pthread_create(&outside, NULL, make_from_outside, &ran) == 0);
    wait_for(&ran, 100);
    CHECK(pthread_join(outside, NULL) == 0);
  }
}

static void one_comes_and_goes(const char *name, const char *topology) {
  init_domains(name, 1, topology);
  RUN(added_worker_works);
  RUN(last_one_leaves_nothing_behind);
  OK(weft_finalize());
}

static void first_ones_go(void) {
  init_domains("all but one go", 4, "l3:2 core:2 pu:1");
  for (unsigned index = 1; index < 4; ++index) {
    weft_pool *pool;
    OK(weft_pool_create(WEFT_POOL_FIFO, WEFT_POOL_SHARED, &pool));
    OK(weft_pool_attach(pool, index));
    IS(WEFT_BUSY, weft_worker_remove(index)); /* of a user's pool it is needed */
    OK(weft_pool_detach(pool, index));
    OK(weft_pool_destroy(pool));
    OK(weft_worker_remove(index));
  }
  RUN(last_one_leaves_nothing_behind);
  OK(weft_finalize());
}

static void many(const char *name, const char *topology) {
  init_domains(name, 70, topology);
  atomic_int ran = 0;
  for (int worker = 0; worker < 70; ++worker) OK(weft_thread_join(start_pinned(add_one, &ran, worker)));
  RUN(others_run_what_is_made_here);
  CHECK(atomic_load(&ran) == 70);
  OK(weft_finalize());
}

int main(void) {
  one_comes_and_goes("one domain", "l3:1 core:2 pu:1");
  one_comes_and_goes("two domains", "l3:2 core:1 pu:1");
  first_ones_go();
  many("many under one cache", "l3:1 core:70 pu:1");
  many("many caches", "l3:70 core:1 pu:1");
  return 0;
}
