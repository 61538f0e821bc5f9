/* OS threads that Weft did not make use it with the same calls, at the same time. */
#include <pthread.h>

#include "check.h"

enum { OUTSIDERS = 6, ROUNDS = IS_SLOW ? 60 : 300 };

struct shared {
  weft_mutex mutex;
  long count; /* guarded by mutex */
  weft_key key;
  atomic_int finished;
};

static void count_up(void *argument) {
  struct shared *shared = argument;
  OK(weft_mutex_lock(&shared->mutex));
  const long before = shared->count;
  if (before % 4 == 0) weft_yield();
  shared->count = before + 1;
  weft_mutex_unlock(&shared->mutex);
}

static void *work_outside(void *argument) {
  struct shared *shared = argument;
  CHECK(weft_self() == NULL);
  CHECK(weft_worker_self() == -1);
  int mine = 0;
  OK(weft_key_set(shared->key, &mine));
  for (int round = 0; round < ROUNDS; ++round) {
    weft_thread *threads[4];
    for (int i = 0; i < 3; ++i) threads[i] = start(count_up, shared);
    OK(weft_tasklet_create(nothing, NULL, NULL, &threads[3]));
    count_up(shared);
    weft_yield();
    OK(weft_thread_join(threads[0]));
    while (weft_thread_join_until(threads[1], weft_deadline_in(10 * MICROSECOND)) == WEFT_TIMEOUT) {
    }
    while (weft_thread_try_join(threads[2]) == WEFT_BUSY) sched_yield();
    OK(weft_thread_join(threads[3]));
    OK(weft_thread_create(count_up, shared, NULL, NULL));
    CHECK(weft_key_get(shared->key) == &mine);
    CHECK(weft_self() == NULL);
  }
  OK(weft_key_set(shared->key, NULL));
  atomic_fetch_add(&shared->finished, 1);
  return NULL;
}

static void mixes(void) {
  static struct shared shared;
  shared.count = 0;
  atomic_store(&shared.finished, 0);
  OK(weft_key_create(NULL, &shared.key));
  pthread_t outsiders[OUTSIDERS];
  for (int i = 0; i < OUTSIDERS; ++i) CHECK(pthread_create(&outsiders[i], NULL, work_outside, &shared) == 0);
  wait_for(&shared.finished, OUTSIDERS);
  for (int i = 0; i < OUTSIDERS; ++i) CHECK(pthread_join(outsiders[i], NULL) == 0);
  const long wanted = (long)OUTSIDERS * ROUNDS * 5;
  for (;;) { /* the detached ones end when they like */
    OK(weft_mutex_lock(&shared.mutex));
    const long now = shared.count;
    weft_mutex_unlock(&shared.mutex);
    CHECK(now <= wanted);
    if (now == wanted) break;
    breathe();
  }
  OK(weft_key_delete(shared.key));
}

/* OS threads come and go. */
static void *visit_once(void *argument) {
  OK(weft_thread_join(start(add_one, argument)));
  return NULL;
}

static void visitors(void) {
  atomic_int count = 0;
  for (int round = 0; round < 20; ++round) {
    pthread_t visitors[4];
    for (int i = 0; i < 4; ++i) CHECK(pthread_create(&visitors[i], NULL, visit_once, &count) == 0);
    wait_for(&count, 4 * (round + 1));
    for (int i = 0; i < 4; ++i) CHECK(pthread_join(visitors[i], NULL) == 0);
  }
}

static void all(void) {
  RUN(mixes);
  RUN(visitors);
}

/* The program's main OS thread stays outside, too. */
static void caller_outside(unsigned workers) {
  phase = "the caller outside";
  weft_config config = WEFT_CONFIG_INIT;
  config.workers = workers;
  config.caller_outside = true;
  OK(weft_init(&config));
  CHECK(weft_self() == NULL);
  CHECK(weft_worker_self() == -1);
  CHECK(weft_worker_count() == workers);
  all();
  OK(weft_finalize());
}

int main(void) {
  with_workers("one worker", 1, all);
  with_workers("three workers", 3, all);
  caller_outside(1);
  caller_outside(3);
  return 0;
}
