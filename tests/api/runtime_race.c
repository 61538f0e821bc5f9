/* weft_init and the last weft_finalize from several OS threads at once: a runtime starts only
 * after the one before is gone. */
#include <pthread.h>

#include "check.h"

static void init_outside(unsigned workers) {
  weft_config config = WEFT_CONFIG_INIT;
  config.workers = workers;
  config.caller_outside = true;
  OK(weft_init(&config));
}

static void use_a_little(void) {
  atomic_int count = 0;
  weft_thread *threads[10];
  for (int i = 0; i < 10; ++i) threads[i] = start(add_one, &count);
  OK(weft_thread_join_many(threads, 10));
  CHECK(atomic_load(&count) == 10);
}

static pthread_t run_beside(void *(*function)(void *), void *argument) {
  pthread_t made;
  CHECK(pthread_create(&made, NULL, function, argument) == 0);
  return made;
}

/* ---- the last finalize waits for a ULT; meanwhile another OS thread wants a runtime, and the ULT nests one  */

struct waiting {
  bool caller_outside, in_region;
  atomic_int has_begun; /* the finalize */
  atomic_int is_asking, has_started;
};

static void *start_the_next(void *argument) {
  struct waiting *shared = argument;
  wait_for(&shared->has_begun, 1);
  atomic_store(&shared->is_asking, 1);
  init_outside(3);
  CHECK(weft_worker_count() == 3);
  atomic_store(&shared->has_started, 1);
  use_a_little();
  OK(weft_finalize());
  return NULL;
}

static void nest_while_it_ends(void *argument) {
  struct waiting *shared = argument;
  while (weft_finalize() != WEFT_NOT_INITIALIZED) breathe(); /* until then: WEFT_NOT_OWNER */
  atomic_store(&shared->has_begun, 1);
  OK(weft_init(NULL));
  CHECK(weft_worker_count() == 2);
  use_a_little();
  wait_for(&shared->is_asking, 1);
  OK(weft_sleep_ns(2 * MILLISECOND)); /* time to do the wrong thing */
  CHECK(weft_worker_count() == 2);
  CHECK(atomic_load(&shared->has_started) == 0);
  OK(weft_finalize());
  IS(WEFT_NOT_INITIALIZED, weft_finalize());
  OK(weft_init(NULL)); /* and forgets it */
}

static void nest_in_a_region_or_not(void *argument) {
  const struct waiting *shared = argument;
  if (!shared->in_region) return nest_while_it_ends(argument);
  OK(weft_blocking(nest_while_it_ends, argument));
}

static void waits_for_the_end(void) {
  phase = "waits for the end";
  for (int round = 0; round < 12; ++round) {
    struct waiting shared = {.caller_outside = round % 2 == 0, .in_region = round % 4 >= 2};
    const pthread_t other = run_beside(start_the_next, &shared);
    weft_config config = WEFT_CONFIG_INIT;
    config.workers = 2;
    config.caller_outside = shared.caller_outside;
    OK(weft_init(&config));
    OK(weft_thread_create(nest_in_a_region_or_not, &shared, NULL, NULL));
    OK(weft_finalize());
    CHECK(pthread_join(other, NULL) == 0);
    CHECK(atomic_load(&shared.has_started) == 1);
    CHECK(!weft_is_initialized());
  }
}

/* ---- one ends what another joins, or just does not ---- */

struct race {
  atomic_int open, verdict; /* 1: the other had a runtime of its own; 2: it nested */
};

static void *join_or_follow(void *argument) {
  struct race *race = argument;
  wait_for(&race->open, 1);
  init_outside(3);
  use_a_little();
  const unsigned workers = weft_worker_count();
  const weft_status result = weft_finalize();
  CHECK(result == WEFT_OK || (result == WEFT_NOT_OWNER && workers == 2)); /* the first one's, if it has not counted down yet */
  atomic_store(&race->verdict, result == WEFT_OK && workers == 3 ? 1 : result == WEFT_OK ? 3 : 2);
  return NULL;
}

static void ends_while_another_comes(void) {
  phase = "ends while another comes";
  for (int round = 0; round < 200; ++round) {
    struct race race = {0, 0};
    const pthread_t other = run_beside(join_or_follow, &race);
    init_outside(2);
    atomic_store(&race.open, 1);
    for (volatile int i = 0; i < round * 20; ++i) {
    }
    OK(weft_finalize());
    CHECK(pthread_join(other, NULL) == 0);
    if (atomic_load(&race.verdict) == 2) OK(weft_finalize()); /* the first caller is the last */
    CHECK(!weft_is_initialized());
    IS(WEFT_NOT_INITIALIZED, weft_finalize());
  }
}

/* ---- workers come and go from outside while runtimes come and go ---- */

struct meddler {
  atomic_int is_over, calls;
};

static void *add_and_remove(void *argument) {
  struct meddler *mine = argument;
  for (int round = 0; atomic_load(&mine->is_over) == 0; ++round) {
    unsigned index = 1;
    weft_status result = round % 50 == 0 ? weft_worker_add(&index) : WEFT_OK;
    CHECK(result == WEFT_OK || result == WEFT_NOT_INITIALIZED);
    result = weft_worker_remove(index);
    CHECK(result == WEFT_OK || result == WEFT_NOT_INITIALIZED || result == WEFT_INVALID || result == WEFT_BUSY);
    atomic_fetch_add(&mine->calls, 1);
  }
  return NULL;
}

static void workers_change_while_it_ends(void) {
  phase = "workers change while it ends";
  struct meddler one = {0, 0};
  const pthread_t other = run_beside(add_and_remove, &one);
  for (int round = 0; round < 100; ++round) {
    round % 2 == 0 ? init_outside(1) : init_with(1);
    OK(weft_finalize());
  }
  wait_at_least(&one.calls, 1);
  atomic_store(&one.is_over, 1);
  CHECK(pthread_join(other, NULL) == 0);
}

/* ---- many come and go ---- */

enum { RIVALS = 5, ROUNDS = 40 };

struct crowd {
  atomic_int debt; /* finalizes that only the first caller may do, which is one of the crowd */
  atomic_int done;
};

static void pay(struct crowd *crowd) {
  int debt = atomic_load(&crowd->debt);
  if (debt == 0 || !atomic_compare_exchange_strong(&crowd->debt, &debt, debt - 1)) return;
  const weft_status result = weft_finalize();
  CHECK(result == WEFT_OK || result == WEFT_NOT_OWNER);
  if (result == WEFT_NOT_OWNER) atomic_fetch_add(&crowd->debt, 1);
}

static void *come_and_go(void *argument) {
  struct crowd *crowd = argument;
  for (int round = 0; round < ROUNDS; ++round) {
    init_outside(1 + (unsigned)round % 3);
    use_a_little();
    atomic_fetch_add(&crowd->debt, 1);
    pay(crowd);
  }
  atomic_fetch_add(&crowd->done, 1);
  while (atomic_load(&crowd->done) != RIVALS || weft_is_initialized()) {
    pay(crowd);
    sched_yield();
  }
  return NULL;
}

static void many_come_and_go(void) {
  phase = "many come and go";
  struct crowd crowd = {0, 0};
  pthread_t rivals[RIVALS];
  for (int i = 0; i < RIVALS; ++i) rivals[i] = run_beside(come_and_go, &crowd);
  for (int i = 0; i < RIVALS; ++i) CHECK(pthread_join(rivals[i], NULL) == 0);
  CHECK(atomic_load(&crowd.debt) == 0);
  IS(WEFT_NOT_INITIALIZED, weft_finalize());
}

int main(void) {
  waits_for_the_end();
  ends_while_another_comes();
  workers_change_while_it_ends();
  many_come_and_go();
  return 0;
}
