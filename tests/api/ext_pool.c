/* ext.h: pools of the builder's own, schedulers without a frame, schedulers that are threads. */
#include <pthread.h>
#include <unistd.h>
#include <weft/ext.h>

#include "check.h"

enum { MANY = 200 };

/* ---- a pool of our own: an array under a lock ---- */

struct own_pool {
  pthread_mutex_t lock;
  weft_thread *units[4096];
  size_t count;
  atomic_int reasons[4];
  atomic_int is_destroyed;
};

static void own_push(void *state, weft_thread *unit, weft_push_reason reason) {
  struct own_pool *pool = state;
  CHECK(weft_self() == NULL);
  atomic_fetch_add(&pool->reasons[reason], 1);
  pthread_mutex_lock(&pool->lock);
  CHECK(pool->count < 4096);
  pool->units[pool->count++] = unit;
  pthread_mutex_unlock(&pool->lock);
}

static weft_thread *take_at(struct own_pool *pool, size_t at) {
  weft_thread *unit = pool->units[at];
  for (size_t i = at + 1; i < pool->count; ++i) pool->units[i - 1] = pool->units[i];
  --pool->count;
  return unit;
}

static weft_thread *own_pop(void *state) {
  struct own_pool *pool = state;
  CHECK(weft_self() == NULL);
  pthread_mutex_lock(&pool->lock);
  weft_thread *unit = pool->count != 0 ? take_at(pool, 0) : NULL;
  pthread_mutex_unlock(&pool->lock);
  return unit;
}

static size_t own_count(void *state) {
  struct own_pool *pool = state;
  CHECK(weft_self() == NULL);
  pthread_mutex_lock(&pool->lock);
  const size_t count = pool->count;
  pthread_mutex_unlock(&pool->lock);
  return count;
}

static bool own_remove(void *state, weft_thread *unit) {
  struct own_pool *pool = state;
  bool found = false;
  pthread_mutex_lock(&pool->lock);
  for (size_t i = 0; i < pool->count && !found; ++i) {
    if (pool->units[i] != unit) continue;
    take_at(pool, i);
    found = true;
  }
  pthread_mutex_unlock(&pool->lock);
  return found;
}

static void own_destroy(void *state) { atomic_store(&((struct own_pool *)state)->is_destroyed, 1); }

static const weft_pool_ops own_ops = {sizeof own_ops, own_push, own_pop, own_count, own_remove, own_destroy};

static weft_pool *make_own(struct own_pool *state, weft_pool_access access) {
  *state = (struct own_pool){.lock = PTHREAD_MUTEX_INITIALIZER};
  weft_pool *pool = NULL;
  OK(weft_ext_pool_create(&own_ops, state, access, &pool));
  return pool;
}

static weft_thread *start_in(weft_pool *pool, weft_function function, void *argument) {
  weft_thread_attr attr = WEFT_THREAD_ATTR_INIT;
  attr.pool = pool;
  weft_thread *made;
  OK(weft_thread_create(function, argument, &attr, &made));
  return made;
}

static void yield_and_sleep(void *argument) {
  weft_yield();
  OK(weft_sleep_ns(MILLISECOND));
  weft_yield();
  atomic_fetch_add((atomic_int *)argument, 1);
}

static struct own_pool state;

static void own_pool_works(void) {
  weft_pool *pool = make_own(&state, WEFT_POOL_SHARED);
  const unsigned workers = weft_worker_count();
  for (unsigned i = 0; i < workers; ++i) OK(weft_pool_attach(pool, i));
  atomic_int count = 0;
  weft_thread *threads[MANY];
  for (int i = 0; i < MANY; ++i) threads[i] = start_in(pool, yield_and_sleep, &count);
  OK(weft_thread_join_many(threads, MANY));
  CHECK(atomic_load(&count) == MANY);
  CHECK(atomic_load(&state.reasons[WEFT_PUSH_NEW]) == MANY);
  /* A sleep whose deadline passed before it began is a yield; a yield that finds no other ready
   * unit pushes nothing. */
  const int woken = atomic_load(&state.reasons[WEFT_PUSH_WOKEN]);
  CHECK(woken > 0 && woken <= MANY);
  CHECK(atomic_load(&state.reasons[WEFT_PUSH_YIELDED]) <= 3 * MANY - woken);
  CHECK(weft_pool_total_count(pool) == 0);
  for (unsigned i = 0; i < workers; ++i) OK(weft_pool_detach(pool, i));
  OK(weft_pool_destroy(pool));
  CHECK(atomic_load(&state.is_destroyed) == 1);
}

static void yields_into_the_middle(void) {
  weft_pool *pool = make_own(&state, WEFT_POOL_PRIVATE);
  OK(weft_pool_attach(pool, 0));
  atomic_int counts[MANY];
  weft_thread *threads[MANY];
  for (int i = 0; i < MANY; ++i) {
    atomic_init(&counts[i], 0);
    threads[i] = start_in(pool, add_one, &counts[i]);
  }
  for (int i = 7; i < MANY; i += 20) {
    const weft_status result = weft_yield_to(threads[i]);
    CHECK(result == WEFT_OK || atomic_load(&counts[i]) == 1);
    CHECK(atomic_load(&counts[i]) == 1);
  }
  OK(weft_thread_join_many(threads, MANY));
  OK(weft_pool_detach(pool, 0));
  OK(weft_pool_destroy(pool));
}

static void refuses_pools(void) {
  weft_pool *untouched = (weft_pool *)&untouched, *pool = untouched;
  weft_pool_ops ops = own_ops;
  IS(WEFT_INVALID, weft_ext_pool_create(NULL, NULL, WEFT_POOL_SHARED, &pool));
  IS(WEFT_INVALID, weft_ext_pool_create(&ops, NULL, WEFT_POOL_SHARED, NULL));
  IS(WEFT_INVALID, weft_ext_pool_create(&ops, NULL, (weft_pool_access)9, &pool));
  ops.size = 1;
  IS(WEFT_INVALID, weft_ext_pool_create(&ops, NULL, WEFT_POOL_SHARED, &pool));
  ops = own_ops;
  ops.pop = NULL;
  IS(WEFT_INVALID, weft_ext_pool_create(&ops, NULL, WEFT_POOL_SHARED, &pool));
  CHECK(pool == untouched);
  CHECK(weft_ext_pool_pop(NULL) == NULL);
  IS(WEFT_INVALID, weft_ext_pool_push(NULL, weft_self(), WEFT_PUSH_NEW));
  OK(weft_pool_create(WEFT_POOL_FIFO, WEFT_POOL_SHARED, &pool));
  CHECK(weft_ext_pool_pop(pool) == NULL);
  IS(WEFT_INVALID, weft_ext_pool_push(pool, NULL, WEFT_PUSH_NEW));
  OK(weft_pool_destroy(pool));
}

/* ---- moving units by hand ---- */

static void moves_units(void) {
  weft_pool *pools[2];
  for (int i = 0; i < 2; ++i) OK(weft_pool_create(WEFT_POOL_FIFO, WEFT_POOL_SHARED, &pools[i]));
  atomic_int count = 0;
  weft_thread *threads[MANY];
  for (int i = 0; i < MANY; ++i) threads[i] = start_in(pools[0], yield_and_sleep, &count);
  for (int i = 0; i < MANY; ++i) {
    weft_thread *unit = weft_ext_pool_pop(pools[0]);
    CHECK(unit == threads[i]);
    OK(weft_ext_pool_push(pools[1], unit, WEFT_PUSH_MIGRATED));
  }
  CHECK(weft_pool_ready_count(pools[0]) == 0);
  CHECK(weft_pool_ready_count(pools[1]) == MANY);
  OK(weft_pool_attach(pools[1], 0));
  OK(weft_thread_join_many(threads, MANY));
  OK(weft_pool_detach(pools[1], 0));
  for (int i = 0; i < 2; ++i) OK(weft_pool_destroy(pools[i]));
}

/* ---- a frameless scheduler ---- */

struct chooser {
  weft_pool *pool;
  atomic_int asked, gave;
};

static weft_thread *choose(void *state_of_chooser, unsigned worker) {
  struct chooser *self = state_of_chooser;
  (void)worker;
  CHECK(weft_self() == NULL);
  atomic_fetch_add(&self->asked, 1);
  weft_thread *unit = weft_ext_pool_pop(self->pool);
  if (unit != NULL) atomic_fetch_add(&self->gave, 1);
  return unit;
}

static void own_scheduler_chooses(void) {
  const unsigned worker = weft_worker_count() - 1;
  struct chooser chooser = {.asked = 0};
  OK(weft_pool_create(WEFT_POOL_FIFO, WEFT_POOL_SHARED, &chooser.pool));
  OK(weft_pool_attach(chooser.pool, worker)); /* so that pushes wake it */
  const weft_scheduler_ops ops = {sizeof ops, choose};
  OK(weft_ext_worker_set_scheduler(worker, &ops, &chooser));
  atomic_int count = 0;
  weft_thread *threads[MANY];
  for (int i = 0; i < MANY; ++i) threads[i] = start_in(chooser.pool, yield_and_sleep, &count);
  OK(weft_thread_join_many(threads, MANY));
  CHECK(atomic_load(&count) == MANY);
  CHECK(atomic_load(&chooser.gave) > 0);
  OK(weft_thread_join(start_pinned(nothing, NULL, (int)worker))); /* the worker's own queue is served, too */
  OK(weft_ext_worker_set_scheduler(worker, NULL, NULL));
  for (int i = 0; i < 20; ++i) OK(weft_thread_join(start_in(chooser.pool, add_one, &count)));
  OK(weft_pool_detach(chooser.pool, worker));
  OK(weft_pool_destroy(chooser.pool));
}

struct slow_chooser {
  atomic_bool is_inside, is_asked;
};

static weft_thread *choose_slowly(void *given, unsigned worker) {
  (void)worker;
  struct slow_chooser *self = given;
  atomic_store(&self->is_inside, true);
  atomic_store(&self->is_asked, true);
  usleep(2000); /* not by Weft's clock, which may stand still in here */
  atomic_store(&self->is_inside, false);
  return NULL;
}

/* Its state may go at once. */
static void own_scheduler_is_left(void) {
  const unsigned worker = weft_worker_count() - 1;
  if (worker == 0) return; /* it would be asked by the caller's own worker */
  struct slow_chooser chooser = {false, false};
  const weft_scheduler_ops ops = {sizeof ops, choose_slowly};
  for (int i = 0; i < 5; ++i) {
    atomic_store(&chooser.is_asked, false);
    OK(weft_ext_worker_set_scheduler(worker, &ops, &chooser));
    while (!atomic_load(&chooser.is_asked)) weft_yield();
    OK(weft_ext_worker_set_scheduler(worker, NULL, NULL));
    CHECK(!atomic_load(&chooser.is_inside));
  }
}

static void refuses_schedulers(void) {
  weft_scheduler_ops ops = {sizeof ops, choose};
  IS(WEFT_INVALID, weft_ext_worker_set_scheduler(weft_worker_count(), &ops, NULL));
  IS(WEFT_INVALID, weft_ext_worker_set_scheduler(UINT32_MAX, NULL, NULL));
  ops.size = 1;
  IS(WEFT_INVALID, weft_ext_worker_set_scheduler(0, &ops, NULL));
  ops = (weft_scheduler_ops){sizeof ops, NULL};
  IS(WEFT_INVALID, weft_ext_worker_set_scheduler(0, &ops, NULL));
}

/* ---- schedulers that are threads ---- */

struct boss {
  weft_pool *pool;
  int wanted;
  atomic_int ran; /* units that ended */
  atomic_int dispatched;
};

static void dispatch_until_done(void *argument) {
  struct boss *self = argument;
  weft_thread *me = weft_self();
  while (atomic_load(&self->ran) < self->wanted) {
    weft_thread *unit = weft_ext_pool_pop(self->pool);
    if (unit == NULL) {
      const weft_status result = weft_ext_wait_for_work(&self->pool, 1, weft_deadline_in(MILLISECOND), NULL, NULL);
      CHECK(result == WEFT_OK || result == WEFT_TIMEOUT);
      continue;
    }
    OK(weft_ext_dispatch(unit));
    CHECK(weft_self() == me);
    atomic_fetch_add(&self->dispatched, 1);
  }
}

static void run_as_schedulers(int bosses, bool tasklets) {
  struct boss boss = {.wanted = MANY};
  OK(weft_pool_create(WEFT_POOL_FIFO, WEFT_POOL_SHARED, &boss.pool));
  weft_thread *schedulers[4], *threads[MANY];
  for (int i = 0; i < bosses; ++i) schedulers[i] = start(dispatch_until_done, &boss);
  for (int i = 0; i < MANY; ++i) {
    weft_thread_attr attr = WEFT_THREAD_ATTR_INIT;
    attr.pool = boss.pool;
    if (tasklets) {
      OK(weft_tasklet_create(add_one, &boss.ran, &attr, &threads[i]));
    } else {
      if (i % 5 == 0) attr.stack_bytes = 50000;
      OK(weft_thread_create(yield_and_sleep, &boss.ran, &attr, &threads[i]));
    }
  }
  OK(weft_thread_join_many(threads, MANY));
  OK(weft_thread_join_many(schedulers, (size_t)bosses));
  CHECK(atomic_load(&boss.dispatched) >= (tasklets ? MANY : 2 * MANY));
  CHECK(weft_pool_total_count(boss.pool) == 0);
  OK(weft_pool_destroy(boss.pool));
}

static void threads_schedule(void) {
  run_as_schedulers(1, false);
  run_as_schedulers(3, false);
  run_as_schedulers(2, true);
}

/* A scheduler dispatches schedulers. */
static void stacked_schedulers(void) {
  struct boss inner = {.wanted = MANY}, outer = {.wanted = 1};
  OK(weft_pool_create(WEFT_POOL_LIFO, WEFT_POOL_SHARED, &inner.pool));
  OK(weft_pool_create(WEFT_POOL_FIFO, WEFT_POOL_SHARED, &outer.pool));
  weft_thread *threads[MANY];
  for (int i = 0; i < MANY; ++i) threads[i] = start_in(inner.pool, yield_and_sleep, &inner.ran);
  weft_thread *inner_scheduler = start_in(outer.pool, dispatch_until_done, &inner);
  weft_thread *outer_scheduler = start(dispatch_until_done, &outer);
  OK(weft_thread_join(inner_scheduler));
  atomic_store(&outer.ran, 1);
  OK(weft_thread_join(outer_scheduler));
  OK(weft_thread_join_many(threads, MANY));
  OK(weft_pool_destroy(inner.pool));
  OK(weft_pool_destroy(outer.pool));
}

static void dispatch_in_tasklet(void *argument) {
  IS(WEFT_CANNOT_BLOCK, weft_ext_dispatch(argument));
  IS(WEFT_CANNOT_BLOCK, weft_ext_wait_for_work(NULL, 0, 0, NULL, NULL));
}

static void refuses_to_dispatch(void) {
  IS(WEFT_INVALID, weft_ext_dispatch(NULL));
  IS(WEFT_INVALID, weft_ext_wait_for_work(NULL, 1, 0, NULL, NULL));
  weft_pool *pool;
  OK(weft_pool_create(WEFT_POOL_FIFO, WEFT_POOL_SHARED, &pool));
  IS(WEFT_TIMEOUT, weft_ext_wait_for_work(&pool, 1, weft_now_ns(), NULL, NULL));
  IS(WEFT_TIMEOUT, weft_ext_wait_for_work(&pool, 1, weft_deadline_in(100 * MICROSECOND), NULL, NULL));
  weft_thread *one = start_in(pool, nothing, NULL);
  OK(weft_ext_wait_for_work(&pool, 1, WEFT_FOREVER, NULL, NULL));
  CHECK(weft_ext_pool_pop(pool) == one);
  weft_thread *tasklet;
  OK(weft_tasklet_create(dispatch_in_tasklet, one, NULL, &tasklet));
  OK(weft_thread_join(tasklet));
  OK(weft_ext_dispatch(one));
  OK(weft_thread_join(one));
  OK(weft_pool_destroy(pool));
  CHECK(!weft_ext_should_stop());
}

static void all(void) {
  RUN(own_pool_works);
  RUN(yields_into_the_middle);
  RUN(refuses_pools);
  RUN(moves_units);
  RUN(own_scheduler_chooses);
  RUN(own_scheduler_is_left);
  RUN(refuses_schedulers);
  RUN(threads_schedule);
  RUN(stacked_schedulers);
  RUN(refuses_to_dispatch);
}

/* A scheduler that waits for work when the runtime ends, is told. */
static weft_pool *last_pool;
static atomic_int was_told;
static void wait_until_told(void *argument) {
  (void)argument;
  while (!weft_ext_should_stop()) {
    weft_thread *unit = weft_ext_pool_pop(last_pool);
    if (unit != NULL) {
      OK(weft_ext_dispatch(unit));
    } else {
      OK(weft_ext_wait_for_work(&last_pool, 1, WEFT_FOREVER, NULL, NULL));
    }
  }
  atomic_store(&was_told, 1);
}

static void leave_a_scheduler(void) {
  OK(weft_pool_create(WEFT_POOL_FIFO, WEFT_POOL_SHARED, &last_pool));
  OK(weft_thread_create(wait_until_told, NULL, NULL, NULL));
  atomic_int count = 0;
  OK(weft_thread_join(start_in(last_pool, add_one, &count)));
  CHECK(atomic_load(&count) == 1);
}

int main(void) {
  IS(WEFT_NOT_INITIALIZED, weft_ext_worker_set_scheduler(0, NULL, NULL));
  with_workers("one worker", 1, all);
  with_workers("three workers", 3, all);
  with_workers("finalize", 2, leave_a_scheduler);
  CHECK(atomic_load(&was_told) == 1);
  OK(weft_pool_destroy(last_pool));
  return 0;
}
