/* Pools: order, workers that serve them, counts, refusals, migration into and out of them. */
#include <stdbool.h>

#include "pool_support.h"

enum { MANY = 50 };

/* ---- order ---- */

/* Filled before any worker serves it, then served by one worker. */
static void serve_in_order(weft_pool_kind kind, int *place, unsigned (*priority)(int)) {
  weft_pool *pool = make_pool(kind, WEFT_POOL_PRIVATE);
  struct runner runners[MANY];
  weft_thread *threads[MANY];
  atomic_store(&places, 0);
  for (int i = 0; i < MANY; ++i) {
    runners[i] = (struct runner){i, place};
    threads[i] = start_in(pool, run_in_order, &runners[i], priority != NULL ? priority(i) : 0);
  }
  CHECK(weft_pool_ready_count(pool) == MANY);
  CHECK(weft_pool_total_count(pool) == MANY);
  IS(WEFT_BUSY, weft_pool_destroy(pool));
  const unsigned worker = weft_worker_count() - 1;
  OK(weft_pool_attach(pool, worker));
  IS(WEFT_BUSY, weft_pool_attach(pool, 0)); /* private and served */
  OK(weft_thread_join_many(threads, MANY));
  CHECK(weft_pool_total_count(pool) == 0);
  IS(WEFT_BUSY, weft_pool_destroy(pool));
  OK(weft_pool_detach(pool, worker));
  OK(weft_pool_destroy(pool));
}

/* Serves a pool by priorities within the time for which no unit comes before more urgent ones.
 * Returns: false if other programs kept the CPUs from it in every round. */
static bool serve_by_priority_soon(int *place, unsigned (*priority)(int)) {
  for (int round = 0; round < 100; ++round) {
    const uint64_t end = weft_deadline_in(50 * MILLISECOND);
    serve_in_order(WEFT_POOL_PRIORITY, place, priority);
    if (weft_now_ns() < end) return true;
  }
  return false;
}

static unsigned by_index(int index) { return (unsigned)(index * 7) % WEFT_POOL_PRIORITIES; }

static void keeps_order(void) {
  int place[MANY];
  serve_in_order(WEFT_POOL_FIFO, place, NULL);
  for (int i = 0; i < MANY; ++i) CHECK(place[i] == i);
  serve_in_order(WEFT_POOL_LIFO, place, NULL);
  for (int i = 0; i < MANY; ++i) CHECK(place[i] == MANY - 1 - i);
  serve_in_order(WEFT_POOL_DEQUE, place, NULL);
  for (int i = 0; i < MANY; ++i) CHECK(place[i] == MANY - 1 - i);
  if (!serve_by_priority_soon(place, by_index)) return;
  for (int i = 0; i < MANY; ++i) {
    for (int other = 0; other < i; ++other) {
      if (by_index(other) <= by_index(i)) CHECK(place[other] < place[i]); /* equals: first come first served */
      if (by_index(other) > by_index(i)) CHECK(place[other] > place[i]);
    }
  }
}

static unsigned lowest(int index) {
  (void)index;
  return WEFT_POOL_PRIORITIES - 1;
}
static unsigned lower_for_first(int index) { return index == 0; }

/* Threads that are made in the memory of others have the usual priority. */
static void priority_ends_with_its_thread(void) {
  int place[MANY];
  if (!serve_by_priority_soon(place, lowest) || !serve_by_priority_soon(place, lower_for_first)) return;
  CHECK(place[0] == MANY - 1);
}

/* ---- private pools ---- */

struct resident {
  int worker;
  weft_event *event;
};

static void reside(void *argument) {
  struct resident *self = argument;
  CHECK(weft_worker_self() == self->worker);
  for (int i = 0; i < 20; ++i) {
    weft_yield();
    CHECK(weft_worker_self() == self->worker);
  }
  OK(weft_sleep_ns(50 * MICROSECOND));
  CHECK(weft_worker_self() == self->worker);
  OK(weft_event_wait(self->event));
  CHECK(weft_worker_self() == self->worker);
  /* A default child is not of the pool; where it goes and wakes up does not move its joiner. */
  OK(weft_thread_join(start(nothing, NULL)));
  weft_event never_long = WEFT_EVENT_INIT;
  OK(weft_event_set(&never_long));
  CHECK(weft_worker_self() == self->worker);
  IS(WEFT_NOT_OWNER, weft_thread_migrate_to_worker(weft_self(), 0));
  IS(WEFT_NOT_OWNER, weft_thread_migrate_to_pool(weft_self(), (weft_pool *)self));
}

static void sleep_a_little(void *argument) {
  (void)argument;
  OK(weft_sleep_ns(100 * MICROSECOND));
}

/* While it joins, its child sleeps. The joiner stays, whichever worker wakes the child. */
static void join_a_sleeper(void *argument) {
  const int home = weft_worker_self();
  CHECK(home == *(int *)argument);
  for (int i = 0; i < 20; ++i) {
    OK(weft_thread_join(start(sleep_a_little, NULL)));
    CHECK(weft_worker_self() == home);
  }
}

static void residents_stay(void) {
  const int worker = (int)weft_worker_count() - 1;
  weft_pool *pool = make_pool(WEFT_POOL_FIFO, WEFT_POOL_PRIVATE);
  OK(weft_pool_attach(pool, (unsigned)worker));
  weft_event event = WEFT_EVENT_INIT;
  struct resident resident = {worker, &event};
  int home = worker;
  weft_thread *threads[MANY];
  for (int i = 0; i < MANY; ++i) {
    threads[i] = i % 2 == 0 ? start_in(pool, reside, &resident, 0) : start_in(pool, join_a_sleeper, &home, 0);
  }
  IS(WEFT_NOT_OWNER, weft_thread_migrate_to_worker(threads[0], 0));
  OK(weft_sleep_ns(MILLISECOND));
  OK(weft_event_set(&event));
  OK(weft_thread_join_many(threads, MANY));
  OK(weft_pool_detach(pool, (unsigned)worker));
  OK(weft_pool_destroy(pool));
}

/* ---- shared pools ---- */

static void yield_some_times(void *argument) {
  for (int i = 0; i < 50; ++i) weft_yield();
  add_one(argument);
}

static void is_shared(void) {
  const unsigned workers = weft_worker_count();
  weft_pool *pool = make_pool(WEFT_POOL_FIFO, WEFT_POOL_SHARED);
  for (unsigned i = 0; i < workers; ++i) OK(weft_pool_attach(pool, i));
  atomic_int count = 0;
  weft_thread *threads[MANY];
  for (int i = 0; i < MANY; ++i) threads[i] = start_in(pool, yield_some_times, &count, 0);
  atomic_int others = 0; /* of the default queues: pools do not starve them */
  for (int i = 0; i < MANY; ++i) OK(weft_thread_create(yield_some_times, &others, NULL, NULL));
  wait_for(&others, MANY);
  OK(weft_thread_join_many(threads, MANY));
  CHECK(atomic_load(&count) == MANY);
  for (unsigned i = 0; i < workers; ++i) OK(weft_pool_detach(pool, i));
  OK(weft_pool_destroy(pool));
}

/* A pool full of threads that yield for ever leaves turns to the worker's own queue, and the
 * other way round. */
static void yield_until_set(void *argument) {
  while (atomic_load((atomic_int *)argument) == 0) weft_yield();
}

static void neither_starves(void) {
  weft_pool *pool = make_pool(WEFT_POOL_FIFO, WEFT_POOL_PRIVATE);
  OK(weft_pool_attach(pool, 0));
  for (int round = 0; round < 2; ++round) {
    atomic_int stop = 0, count = 0;
    weft_thread *spinners[6];
    for (int i = 0; i < 6; ++i) {
      spinners[i] = round == 0 ? start_in(pool, yield_until_set, &stop, 0) : start_pinned(yield_until_set, &stop, 0);
    }
    for (int i = 0; i < 20; ++i) OK(weft_thread_join(start_pinned(add_one, &count, 0)));
    for (int i = 0; i < 20; ++i) OK(weft_thread_join(start_in(pool, add_one, &count, 0)));
    OK(weft_sleep_ns(MILLISECOND));
    atomic_store(&stop, 1);
    OK(weft_thread_join_many(spinners, 6));
    CHECK(atomic_load(&count) == 40);
  }
  OK(weft_pool_detach(pool, 0));
  OK(weft_pool_destroy(pool));
}

/* ---- migration ---- */

static void wait_for_event(void *argument) { OK(weft_event_wait(argument)); }

static void blocked_ones_move_between_pools(void) {
  weft_pool *pools[2] = {make_pool(WEFT_POOL_FIFO, WEFT_POOL_SHARED), make_pool(WEFT_POOL_LIFO, WEFT_POOL_SHARED)};
  for (int i = 0; i < 2; ++i) OK(weft_pool_attach(pools[i], 0));
  weft_event event = WEFT_EVENT_INIT;
  weft_thread *threads[MANY];
  for (int i = 0; i < MANY; ++i) {
    threads[i] = start_in(pools[0], wait_for_event, &event, 0);
    wait_for_state(threads[i], WEFT_THREAD_BLOCKED);
  }
  CHECK(weft_pool_ready_count(pools[0]) == 0);
  CHECK(weft_pool_total_count(pools[0]) == MANY);
  OK(weft_pool_detach(pools[0], 0));
  IS(WEFT_BUSY, weft_pool_destroy(pools[0])); /* blocked units belong to it */
  OK(weft_pool_attach(pools[0], 0));
  for (int i = 0; i < MANY; ++i) {
    if (i % 2 == 0) OK(weft_thread_migrate_to_pool(threads[i], pools[1]));
    if (i % 5 == 0) OK(weft_thread_migrate_to_worker(threads[i], 0)); /* the last word counts */
  }
  OK(weft_event_set(&event));
  OK(weft_thread_join_many(threads, MANY));
  for (int i = 0; i < 2; ++i) {
    CHECK(weft_pool_ready_count(pools[i]) == 0);
    CHECK(weft_pool_total_count(pools[i]) == 0);
    OK(weft_pool_detach(pools[i], 0));
    OK(weft_pool_destroy(pools[i]));
  }
}

static void running_ones_move_into_a_pool(void) {
  weft_pool *pool = make_pool(WEFT_POOL_FIFO, WEFT_POOL_SHARED);
  const unsigned worker = weft_worker_count() - 1;
  OK(weft_pool_attach(pool, worker));
  for (int round = 0; round < 20; ++round) {
    atomic_int stop = 0;
    weft_thread *one = start(yield_until_set, &stop);
    OK(weft_thread_migrate_to_pool(one, pool));
    for (int i = 0; i < 10; ++i) breathe();
    atomic_store(&stop, 1);
    OK(weft_thread_join(one));
    CHECK(weft_pool_total_count(pool) == 0);
  }
  OK(weft_pool_detach(pool, worker));
  OK(weft_pool_destroy(pool));
}

/* ---- yield_to ---- */

static void yield_to_one_elsewhere(void) {
  const unsigned worker = weft_worker_count() - 1;
  if (worker == 0) return;
  weft_pool *pool = make_pool(WEFT_POOL_FIFO, WEFT_POOL_PRIVATE); /* which no worker serves yet */
  atomic_int ran_on = -1;
  weft_thread *one = start_in(pool, add_one, &ran_on, 0);
  IS(WEFT_AGAIN, weft_yield_to(one)); /* not ready in this worker's queue */
  CHECK(atomic_load(&ran_on) == -1);
  OK(weft_pool_attach(pool, worker));
  OK(weft_thread_join(one));
  OK(weft_pool_detach(pool, worker));
  OK(weft_pool_destroy(pool));
}

/* One that goes from pool to pool while others name it, and its neighbours in both. */
struct hopper {
  weft_pool *pools[2];
  weft_thread *thread;
  atomic_int has_ended;
  atomic_int lookers;
};

static void hop(void *argument) {
  struct hopper *self = argument;
  for (int round = 0; round < (IS_SLOW ? 50 : 300); ++round) {
    if (round % 5 == 0) {
      OK(weft_thread_migrate_to_worker(weft_self(), (unsigned)round % weft_worker_count()));
    } else {
      OK(weft_thread_migrate_to_pool(weft_self(), self->pools[round % 2]));
    }
    weft_yield();
  }
  atomic_store(&self->has_ended, 1);
  wait_for(&self->lookers, 0);
}

static void yield_until_it_ended(void *argument) {
  while (atomic_load(&((struct hopper *)argument)->has_ended) == 0) weft_yield();
}

static void name_it(void *argument) {
  struct hopper *hopper = argument;
  for (unsigned round = 0; atomic_load(&hopper->has_ended) == 0; ++round) {
    const weft_status result = weft_yield_to(hopper->thread);
    CHECK(result == WEFT_OK || result == WEFT_AGAIN);
    if (round % 8 == 0) OK(weft_thread_migrate_to_pool(hopper->thread, hopper->pools[round / 8 % 2]));
    if (round % 8 == 4) OK(weft_thread_migrate_to_worker(hopper->thread, round / 8 % weft_worker_count()));
    if (result == WEFT_AGAIN) weft_yield();
  }
  atomic_fetch_sub(&hopper->lookers, 1);
}

static void one_hops_while_others_name_it(void) {
  enum { EACH = 3 };
  struct hopper hopper = {.lookers = 2 * EACH};
  const unsigned workers = weft_worker_count();
  for (int i = 0; i < 2; ++i) {
    hopper.pools[i] = make_pool(WEFT_POOL_FIFO, WEFT_POOL_SHARED);
    for (unsigned worker = 0; worker < workers; ++worker) OK(weft_pool_attach(hopper.pools[i], worker));
  }
  hopper.thread = start(hop, &hopper);
  weft_thread *others[4 * EACH];
  for (int i = 0; i < 4 * EACH; ++i) {
    others[i] = start_in(hopper.pools[i % 2], i < 2 * EACH ? name_it : yield_until_it_ended, &hopper, 0);
  }
  OK(weft_thread_join_many(others, 4 * EACH));
  OK(weft_thread_join(hopper.thread));
  for (int i = 0; i < 2; ++i) {
    CHECK(weft_pool_total_count(hopper.pools[i]) == 0);
    for (unsigned worker = 0; worker < workers; ++worker) OK(weft_pool_detach(hopper.pools[i], worker));
    OK(weft_pool_destroy(hopper.pools[i]));
  }
}

/* ---- refusals ---- */

static void refuses(void) {
  weft_pool *untouched = (weft_pool *)&untouched;
  weft_pool *pool = untouched;
  IS(WEFT_INVALID, weft_pool_create(WEFT_POOL_FIFO, WEFT_POOL_SHARED, NULL));
  IS(WEFT_INVALID, weft_pool_create((weft_pool_kind)4, WEFT_POOL_SHARED, &pool));
  IS(WEFT_INVALID, weft_pool_create(WEFT_POOL_FIFO, (weft_pool_access)2, &pool));
  CHECK(pool == untouched);
  IS(WEFT_INVALID, weft_pool_destroy(NULL));
  IS(WEFT_INVALID, weft_pool_attach(NULL, 0));
  IS(WEFT_INVALID, weft_pool_detach(NULL, 0));
  CHECK(weft_pool_ready_count(NULL) == 0);
  CHECK(weft_pool_total_count(NULL) == 0);
  pool = make_pool(WEFT_POOL_FIFO, WEFT_POOL_SHARED);
  IS(WEFT_INVALID, weft_pool_attach(pool, weft_worker_count()));
  IS(WEFT_INVALID, weft_pool_attach(pool, UINT32_MAX));
  IS(WEFT_INVALID, weft_pool_detach(pool, 0)); /* not attached */
  OK(weft_pool_destroy(pool));
}

/* A worker that serves pools is not removed; tasklets live in pools, too. */
static void keeps_its_worker(void) {
  unsigned worker;
  OK(weft_worker_add(&worker));
  weft_pool *pool = make_pool(WEFT_POOL_FIFO, WEFT_POOL_PRIVATE);
  OK(weft_pool_attach(pool, worker));
  IS(WEFT_BUSY, weft_worker_remove(worker));
  atomic_int count = 0;
  weft_thread_attr attr = WEFT_THREAD_ATTR_INIT;
  attr.pool = pool;
  weft_thread *tasklets[MANY];
  for (int i = 0; i < MANY; ++i) OK(weft_tasklet_create(add_one, &count, &attr, &tasklets[i]));
  OK(weft_thread_join_many(tasklets, MANY));
  CHECK(atomic_load(&count) == MANY);
  OK(weft_pool_detach(pool, worker));
  OK(weft_worker_remove(worker));
  OK(weft_pool_destroy(pool));
}

/* As many workers may serve a pool, and a worker as many pools, as memory allows. */
static void has_many_servers(void) {
  enum { ATTACHED = 100 };
  weft_pool *pool = make_pool(WEFT_POOL_FIFO, WEFT_POOL_SHARED);
  for (unsigned i = 0; i < ATTACHED; ++i) OK(weft_pool_attach(pool, i % weft_worker_count()));
  atomic_int count = 0;
  weft_thread *threads[MANY];
  for (int i = 0; i < MANY; ++i) threads[i] = start_in(pool, add_one, &count, 0);
  OK(weft_thread_join_many(threads, MANY));
  CHECK(atomic_load(&count) == MANY);
  for (unsigned i = 0; i < ATTACHED; ++i) OK(weft_pool_detach(pool, i % weft_worker_count()));
  IS(WEFT_INVALID, weft_pool_detach(pool, 0));
  OK(weft_pool_destroy(pool));
}

static void is_one_of_many(void) {
  enum { POOLS = 40 };
  weft_pool *pools[POOLS];
  weft_thread *threads[POOLS];
  atomic_int count = 0;
  for (int i = 0; i < POOLS; ++i) {
    pools[i] = make_pool(i % 2 == 0 ? WEFT_POOL_FIFO : WEFT_POOL_PRIORITY, WEFT_POOL_PRIVATE);
    OK(weft_pool_attach(pools[i], 0));
  }
  for (int i = 0; i < POOLS; ++i) threads[i] = start_in(pools[i], add_one, &count, 0);
  OK(weft_thread_join_many(threads, POOLS));
  CHECK(atomic_load(&count) == POOLS);
  for (int i = 0; i < POOLS; ++i) {
    OK(weft_pool_detach(pools[i], 0));
    OK(weft_pool_destroy(pools[i]));
  }
}

/* Pools come and go while their workers look into them. */
static void comes_and_goes(void) {
  for (int round = 0; round < (IS_SLOW ? 20 : 200); ++round) {
    weft_pool *pool = make_pool(WEFT_POOL_FIFO, WEFT_POOL_SHARED);
    const unsigned workers = weft_worker_count();
    for (unsigned i = 0; i < workers; ++i) OK(weft_pool_attach(pool, i));
    atomic_int count = 0;
    weft_thread *one = start_in(pool, add_one, &count, 0);
    OK(weft_thread_join(one));
    for (unsigned i = 0; i < workers; ++i) OK(weft_pool_detach(pool, i));
    OK(weft_pool_destroy(pool));
  }
}

static void all(void) {
  RUN(keeps_order);
  RUN(priority_ends_with_its_thread);
  RUN(residents_stay);
  RUN(is_shared);
  RUN(neither_starves);
  RUN(blocked_ones_move_between_pools);
  RUN(running_ones_move_into_a_pool);
  RUN(yield_to_one_elsewhere);
  RUN(one_hops_while_others_name_it);
  RUN(refuses);
  RUN(keeps_its_worker);
  RUN(has_many_servers);
  RUN(is_one_of_many);
  RUN(comes_and_goes);
}

int main(void) {
  with_workers("one worker", 1, all);
  with_workers("four workers", 4, all);
  return 0;
}
