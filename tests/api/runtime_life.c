/* Start and end of the runtime: nesting, refusals, which callers may end it, and what it waits
 * for. */
#include <dlfcn.h>
#include <pthread.h>
#include <string.h>

#include "check.h"

/* ---- cycles and nesting ---- */

static void use_a_little(void) {
  atomic_int count = 0;
  weft_thread *threads[20];
  for (int i = 0; i < 20; ++i) threads[i] = start(add_one, &count);
  OK(weft_thread_join_many(threads, 20));
  CHECK(atomic_load(&count) == 20);
}

static void cycles(void) {
  phase = "cycles";
  for (int round = 0; round < 30; ++round) {
    CHECK(!weft_is_initialized());
    CHECK(weft_worker_count() == 0);
    init_with((unsigned)round % 4 + 1);
    CHECK(weft_is_initialized());
    CHECK(weft_worker_count() == (unsigned)round % 4 + 1);
    if (round % 3 != 0) use_a_little();
    OK(weft_finalize());
  }
  CHECK(!weft_is_initialized());
}

/* The runtime looks for names that only some programs have. */
static void leaves_no_linker_errors(void) {
  phase = "dlerror";
  init_with(1);
  const char *const words = dlerror();
  if (words != NULL) fprintf(stderr, "dlerror: %s\n", words);
  CHECK(words == NULL);
  OK(weft_finalize());
}

static void nest_in_thread(void *argument) {
  (void)argument;
  OK(weft_init(NULL));
  CHECK(weft_worker_count() == 2);
  use_a_little();
  OK(weft_finalize());
}

static void nests(void) {
  phase = "nesting";
  init_with(2);
  weft_config other = WEFT_CONFIG_INIT;
  other.workers = 7;
  OK(weft_init(&other)); /* the settings of the first stay */
  CHECK(weft_worker_count() == 2);
  OK(weft_finalize());
  CHECK(weft_is_initialized());
  OK(weft_thread_join(start(nest_in_thread, NULL)));
  use_a_little();
  OK(weft_finalize());
  CHECK(!weft_is_initialized());
  IS(WEFT_NOT_INITIALIZED, weft_finalize());
}

static void finalize_last(void *argument) {
  (void)argument;
  IS(WEFT_NOT_OWNER, weft_finalize());
}
static void *finalize_last_outside(void *argument) {
  finalize_last(NULL);
  atomic_store((atomic_int *)argument, 1);
  return NULL;
}

static void only_its_owner_ends_it(void) {
  phase = "owner";
  init_with(2);
  OK(weft_thread_join(start(finalize_last, NULL)));
  atomic_int is_done = 0;
  pthread_t other;
  CHECK(pthread_create(&other, NULL, finalize_last_outside, &is_done) == 0);
  wait_for(&is_done, 1);
  CHECK(pthread_join(other, NULL) == 0);
  use_a_little();
  OK(weft_finalize());
}

/* ---- several at once ---- */

enum { RIVALS = 6 };

struct gate {
  atomic_int open, started, may_end, ended;
};

static void *start_with_others(void *argument) {
  struct gate *gate = argument;
  while (atomic_load(&gate->open) == 0) sched_yield();
  weft_config config = WEFT_CONFIG_INIT;
  config.workers = 2;
  config.caller_outside = true;
  OK(weft_init(&config));
  use_a_little();
  if (atomic_fetch_add(&gate->started, 1) == RIVALS - 1) {
    for (int i = 1; i < RIVALS; ++i) OK(weft_finalize()); /* all but the last: any thread may */
    atomic_store(&gate->may_end, 1);
  }
  while (atomic_load(&gate->may_end) == 0) sched_yield();
  /* Which thread was the first, and so must be the last, is not known; but it is one of these. */
  const weft_status result = weft_finalize();
  if (result == WEFT_OK) atomic_fetch_add(&gate->ended, 1);
  CHECK(result == WEFT_OK || result == WEFT_NOT_OWNER || result == WEFT_NOT_INITIALIZED);
  return NULL;
}

static void start_at_once(void) {
  phase = "several at once";
  for (int round = 0; round < 20; ++round) {
    struct gate gate = {0, 0, 0, 0};
    pthread_t rivals[RIVALS];
    for (int i = 0; i < RIVALS; ++i) CHECK(pthread_create(&rivals[i], NULL, start_with_others, &gate) == 0);
    atomic_store(&gate.open, 1);
    for (int i = 0; i < RIVALS; ++i) CHECK(pthread_join(rivals[i], NULL) == 0);
    CHECK(atomic_load(&gate.ended) == 1);
    CHECK(!weft_is_initialized());
  }
}

/* ---- what finalize waits for ---- */

static void sleep_and_count(void *argument) {
  OK(weft_sleep_ns(2 * MILLISECOND));
  add_one(argument);
}

static void make_more(void *argument) {
  weft_yield();
  for (int i = 0; i < 10; ++i) OK(weft_thread_create(sleep_and_count, argument, NULL, NULL));
}

static void wait_for_semaphore(void *argument) { OK(weft_semaphore_acquire(argument)); }
static void release_later(void *argument) {
  OK(weft_sleep_ns(2 * MILLISECOND));
  OK(weft_semaphore_release(argument, 5));
}

static void waits_for_all(void) {
  phase = "waits for all";
  for (unsigned workers = 1; workers <= 4; ++workers) {
    atomic_int count = 0;
    weft_semaphore semaphore = WEFT_SEMAPHORE_INIT(0);
    init_with(workers);
    for (int i = 0; i < 10; ++i) OK(weft_thread_create(make_more, &count, NULL, NULL));
    start(sleep_and_count, &count); /* never joined: freed with the runtime */
    for (int i = 0; i < 5; ++i) OK(weft_thread_create(wait_for_semaphore, &semaphore, NULL, NULL));
    OK(weft_thread_create(release_later, &semaphore, NULL, NULL));
    OK(weft_finalize());
    CHECK(atomic_load(&count) == 101);
  }
}

static void with_a_name_and_values(void *argument) {
  OK(weft_thread_set_name(weft_self(), "unjoined"));
  OK(weft_key_set(*(weft_key *)argument, argument));
}

static void frees_what_nobody_joined(void) {
  phase = "unjoined";
  weft_key key;
  OK(weft_key_create(NULL, &key));
  init_with(2);
  for (int i = 0; i < 100; ++i) {
    start(nothing, NULL);
    start(with_a_name_and_values, &key);
    weft_thread_attr attr = WEFT_THREAD_ATTR_INIT;
    attr.stack_bytes = 40000;
    weft_thread *one;
    OK(weft_thread_create(nothing, NULL, &attr, &one));
  }
  OK(weft_thread_set_name(weft_self(), "main"));
  OK(weft_finalize());
  OK(weft_key_delete(key));
}

/* ---- refusals ---- */

static void refuse(const weft_config *config) {
  IS(WEFT_INVALID, weft_init(config));
  CHECK(!weft_is_initialized());
}

static void refuses(void) {
  phase = "refusals";
  const weft_config good = WEFT_CONFIG_INIT;
  weft_config bad = good;
  bad.size = 3;
  refuse(&bad);
  bad = good;
  bad.workers = 1000000;
  refuse(&bad);
  bad = good;
  bad.stack_bytes = WEFT_STACK_MIN - 1;
  refuse(&bad);
  bad = good;
  bad.topology = "nonsense";
  refuse(&bad);
  bad = good;
  bad.wait_policy = (weft_wait_policy)17;
  refuse(&bad);
  bad = good;
  bad.locality = (weft_locality)-1;
  refuse(&bad);
  init_with(1); /* and nothing is left behind */
  use_a_little();
  OK(weft_finalize());

  bad = good;
  bad.workers = 1;
  bad.stack_bytes = SIZE_MAX;
  const weft_status result = weft_init(&bad);
  CHECK(result == WEFT_NOMEM || result == WEFT_INVALID);
  CHECK(!weft_is_initialized());
}

static void names_its_statuses(void) {
  phase = "statuses";
  for (int i = -1; i <= WEFT_ENDED + 1; ++i) {
    CHECK(strncmp(weft_status_name((weft_status)i), "WEFT_", 5) == 0);
    CHECK(strlen(weft_status_text((weft_status)i)) > 3);
  }
  CHECK(strcmp(weft_status_name(WEFT_CANNOT_BLOCK), "WEFT_CANNOT_BLOCK") == 0);
  CHECK(strcmp(weft_status_name(WEFT_NOMEM), "WEFT_NOMEM") == 0);
}

/* ---- settings ---- */

static void with_settings(const weft_config *config) {
  OK(weft_init(config));
  CHECK(weft_worker_count() == config->workers);
  use_a_little();
  OK(weft_sleep_ns(100 * MICROSECOND));
  use_a_little();
  OK(weft_finalize());
}

static void heeds_settings(void) {
  phase = "settings";
  for (unsigned workers = 1; workers <= 3; workers += 2) {
    for (int policy = WEFT_WAIT_HYBRID; policy <= WEFT_WAIT_ACTIVE; ++policy) {
      for (int locality = WEFT_LOCALITY_STEAL; locality <= WEFT_LOCALITY_DOMAIN; ++locality) {
        for (int bits = 0; bits < 4; ++bits) {
          weft_config config = WEFT_CONFIG_INIT;
          config.workers = workers;
          config.wait_policy = (weft_wait_policy)policy;
          config.locality = (weft_locality)locality;
          config.bind = (bits & 1) != 0;
          config.caller_outside = (bits & 2) != 0;
          with_settings(&config);
        }
      }
    }
  }
  weft_config config = WEFT_CONFIG_INIT;
  config.workers = 6;
  config.topology = "numa:2 core:4 pu:2";
  with_settings(&config);
  config.locality = WEFT_LOCALITY_DOMAIN;
  with_settings(&config);
  config.stack_bytes = 1 << 20;
  with_settings(&config);
  OK(weft_init(NULL)); /* all defaults */
  CHECK(weft_worker_count() >= 1);
  use_a_little();
  OK(weft_finalize());
}

int main(void) {
  IS(WEFT_NOT_INITIALIZED, weft_finalize());
  cycles();
  leaves_no_linker_errors();
  nests();
  only_its_owner_ends_it();
  start_at_once();
  waits_for_all();
  frees_what_nobody_joined();
  refuses();
  names_its_statuses();
  heeds_settings();
  return 0;
}
