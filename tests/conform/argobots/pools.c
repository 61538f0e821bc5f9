/* Pools and schedulers: questions, removal, association. */
#include "check.h"

#include <time.h>

static void access_and_ids(void) {
  const ABT_pool_access accesses[] = {ABT_POOL_ACCESS_PRIV, ABT_POOL_ACCESS_SPSC, ABT_POOL_ACCESS_MPSC, ABT_POOL_ACCESS_SPMC,
                                      ABT_POOL_ACCESS_MPMC};
  ABT_pool pools[5];
  int ids[5];
  for (int i = 0; i < 5; ++i) {
    ABT_pool_access access;
    OK(ABT_pool_create_basic(ABT_POOL_FIFO, accesses[i], ABT_FALSE, &pools[i]));
    OK(ABT_pool_get_access(pools[i], &access));
    CHECK(access == accesses[i]);
    OK(ABT_pool_get_id(pools[i], &ids[i]));
    for (int j = 0; j < i; ++j) CHECK(ids[j] != ids[i]);
  }
  for (int i = 0; i < 5; ++i) OK(ABT_pool_free(&pools[i]));
}

/* ---- reaching into a pool ---- */

struct seen {
  ABT_unit units[8];
  int count;
};

static void see(void *argument, ABT_unit unit) {
  struct seen *seen = argument;
  CHECK(seen->count < 8);
  seen->units[seen->count++] = unit;
}

static ABT_unit unit_of(ABT_thread thread) {
  ABT_unit unit = ABT_UNIT_NULL;
  OK(ABT_thread_get_unit(thread, &unit));
  return unit;
}

static size_t size_of(ABT_pool pool) {
  size_t size = 99;
  OK(ABT_pool_get_size(pool, &size));
  return size;
}

static void removal(ABT_pool_kind kind) {
  atomic_int ran = 0;
  ABT_pool pool;
  ABT_thread threads[3];
  OK(ABT_pool_create_basic(kind, ABT_POOL_ACCESS_MPMC, ABT_FALSE, &pool));
  for (int i = 0; i < 3; ++i) threads[i] = start(pool, add_one, &ran);
  struct seen seen = {.count = 0};
  OK(ABT_pool_print_all(pool, &seen, see));
  CHECK(seen.count == 3);
  for (int i = 0; i < 3; ++i) {
    const ABT_unit unit = unit_of(threads[i]);
    CHECK(unit == seen.units[0] || unit == seen.units[1] || unit == seen.units[2]);
  }
  OK(ABT_pool_remove(pool, unit_of(threads[1])));
  CHECK(size_of(pool) == 2);
  seen.count = 0;
  OK(ABT_pool_print_all(pool, &seen, see));
  CHECK(seen.count == 2 && seen.units[0] != unit_of(threads[1]) && seen.units[1] != unit_of(threads[1]));
  OK(ABT_pool_remove(pool, unit_of(threads[2])));
  OK(ABT_pool_remove(pool, unit_of(threads[0])));
  CHECK(size_of(pool) == 0);
  IS(ABT_ERR_INV_POOL, ABT_xstream_run_unit(unit_of(threads[0]), ABT_POOL_NULL));
  for (int i = 0; i < 3; ++i) OK(ABT_xstream_run_unit(unit_of(threads[i]), pool));
  CHECK(atomic_load(&ran) == 3);
  for (int i = 0; i < 3; ++i) end(threads[i]);
  OK(ABT_pool_free(&pool));
}
static void removals(void) {
  removal(ABT_POOL_FIFO);
  removal(ABT_POOL_FIFO_WAIT);
  removal(ABT_POOL_RANDWS);
}

/* ---- both ends of RANDWS ---- */

static ABT_thread pop_from(ABT_pool pool, ABT_pool_context context) {
  ABT_thread popped;
  OK(ABT_pool_pop_thread_ex(pool, &popped, context));
  return popped;
}

/* The owner takes the latest new one, thieves take from the other end, where those lie that are
 * no new ones. */
static void owner_and_thief(void) {
  ABT_pool pool = new_pool(ABT_POOL_RANDWS);
  ABT_thread threads[4];
  for (int i = 0; i < 4; ++i) threads[i] = start(pool, nothing, NULL);
  CHECK(pop_from(pool, ABT_POOL_CONTEXT_OWNER_PRIMARY) == threads[3]);
  CHECK(pop_from(pool, ABT_POOL_CONTEXT_OWNER_SECONDARY) == threads[0]);
  OK(ABT_pool_push_thread(pool, threads[3]));
  CHECK(pop_from(pool, ABT_POOL_CONTEXT_OWNER_SECONDARY) == threads[3]);
  OK(ABT_pool_push_thread_ex(pool, threads[0], ABT_POOL_CONTEXT_OP_THREAD_CREATE));
  CHECK(pop_from(pool, ABT_POOL_CONTEXT_OWNER_PRIMARY) == threads[0]);
  OK(ABT_pool_push_thread(pool, threads[0]));
  OK(ABT_pool_push_thread(pool, threads[3]));
  run_what_is_there(pool);
  for (int i = 0; i < 4; ++i) end(threads[i]);
  OK(ABT_pool_free(&pool));
}

static void create_first(void *pool) {
  ABT_thread child;
  OK(ABT_thread_create_to(*(ABT_pool *)pool, nothing, NULL, ABT_THREAD_ATTR_NULL, &child));
  OK(ABT_thread_yield());
  end(child);
}

/* A ULT that leaves for its own child is the owner's next one; one that yields is the last. */
static void leaves_for_child(void) {
  ABT_pool pool = new_pool(ABT_POOL_RANDWS);
  const ABT_thread other = start(pool, nothing, NULL), parent = start(pool, create_first, &pool);
  CHECK(run_next(pool));
  const ABT_thread next = pop_from(pool, ABT_POOL_CONTEXT_OWNER_PRIMARY);
  CHECK(next == parent);
  OK(ABT_self_schedule(next, ABT_POOL_NULL));
  CHECK(pop_from(pool, ABT_POOL_CONTEXT_OWNER_SECONDARY) == parent);
  OK(ABT_pool_push_thread(pool, parent));
  run_what_is_there(pool);
  end(other);
  end(parent);
  OK(ABT_pool_free(&pool));
}

/* ---- association ---- */

static ABT_pool last_pool_of(ABT_thread thread) {
  ABT_pool last = ABT_POOL_NULL;
  OK(ABT_thread_get_last_pool(thread, &last));
  return last;
}

/* ABT_unit_set_associated_pool only looks at its arguments: a unit changes pools by a push, or
 * by ABT_thread_set_associated_pool. */
static void association(void) {
  atomic_int ran = 0;
  ABT_pool pools[2];
  for (int i = 0; i < 2; ++i) OK(ABT_pool_create_basic(ABT_POOL_FIFO, ABT_POOL_ACCESS_MPMC, ABT_FALSE, &pools[i]));
  ABT_thread thread = start(pools[0], add_one, &ran), popped;
  OK(ABT_pool_pop_thread(pools[0], &popped));
  CHECK(popped == thread);
  OK(ABT_unit_set_associated_pool(unit_of(thread), pools[1]));
  CHECK(last_pool_of(thread) == pools[0]);
  IS(ABT_ERR_INV_UNIT, ABT_unit_set_associated_pool(ABT_UNIT_NULL, pools[1]));
  IS(ABT_ERR_INV_POOL, ABT_unit_set_associated_pool(unit_of(thread), ABT_POOL_NULL));
  OK(ABT_thread_set_associated_pool(thread, pools[1]));
  CHECK(last_pool_of(thread) == pools[1]);
  OK(ABT_self_schedule(thread, ABT_POOL_NULL));
  CHECK(atomic_load(&ran) == 1);
  end(thread);
  for (int i = 0; i < 2; ++i) OK(ABT_pool_free(&pools[i]));
}

/* Argobots looks for it for ever, or where it should not. */
static void unknown_units(void) {
  static int no_unit[4];
  const ABT_unit unknown = (ABT_unit)no_unit;
  ABT_thread thread = ABT_THREAD_NULL;
  OK(ABT_unit_set_associated_pool(unknown, my_pool()));
  IS(ABT_ERR_INV_UNIT, ABT_unit_get_thread(unknown, &thread));
  IS(ABT_ERR_INV_UNIT, ABT_pool_push(my_pool(), unknown));
  IS(ABT_ERR_INV_UNIT, ABT_pool_remove(my_pool(), unknown));
  IS(ABT_ERR_INV_UNIT, ABT_xstream_run_unit(unknown, my_pool()));
}

/* ---- schedulers ---- */

static void suspend_once(void *argument) {
  add_one(argument);
  OK(ABT_self_suspend());
}

static void sizes_of_schedulers(void) {
  ABT_pool pools[2];
  ABT_sched sched;
  size_t size = 99;
  for (int i = 0; i < 2; ++i) OK(ABT_pool_create_basic(ABT_POOL_FIFO, ABT_POOL_ACCESS_MPMC, ABT_FALSE, &pools[i]));
  OK(ABT_sched_create_basic(ABT_SCHED_BASIC, 2, pools, ABT_SCHED_CONFIG_NULL, &sched));
  OK(ABT_sched_get_size(sched, &size));
  CHECK(size == 0);
  atomic_int ran = 0;
  ABT_thread threads[3];
  for (int i = 0; i < 3; ++i) threads[i] = start(pools[i % 2], suspend_once, &ran);
  OK(ABT_sched_get_size(sched, &size));
  CHECK(size == 3);
  ABT_thread popped;
  OK(ABT_pool_pop_thread(pools[1], &popped));
  CHECK(popped == threads[1]);
  OK(ABT_self_schedule(popped, ABT_POOL_NULL)); /* it is blocked now */
  OK(ABT_sched_get_size(sched, &size));
  CHECK(size == 2);
  OK(ABT_sched_get_total_size(sched, &size));
  CHECK(size == 3);
  OK(ABT_thread_resume(threads[1]));
  OK(ABT_sched_get_size(sched, &size));
  CHECK(size == 3);
  for (int i = 0; i < 2; ++i) run_what_is_there(pools[i]);
  for (int i = 0; i < 3; i += 2) OK(ABT_thread_resume(threads[i]));
  for (int i = 0; i < 2; ++i) run_what_is_there(pools[i]);
  CHECK(atomic_load(&ran) == 3);
  for (int i = 0; i < 3; ++i) end(threads[i]);
  OK(ABT_sched_free(&sched));
  for (int i = 0; i < 2; ++i) OK(ABT_pool_free(&pools[i]));
}

/* ---- a ULT that waits in a pop keeps its stream: the scheduler does not run what comes ---- */

struct late {
  ABT_pool pool;
  ABT_thread made;
  atomic_int ran;
};

static void *make_later(void *argument) {
  struct late *const mine = argument;
  nanosleep(&(struct timespec){0, 20000000}, NULL); /* the other one waits, mostly */
  mine->made = start(mine->pool, add_one, &mine->ran);
  return NULL;
}

static void pops_what_comes(void) {
  struct late late = {.pool = my_pool()};
  pthread_t maker;
  ABT_thread popped;
  CHECK(pthread_create(&maker, NULL, make_later, &late) == 0);
  OK(ABT_pool_pop_wait_thread(late.pool, &popped, 60.0));
  CHECK(pthread_join(maker, NULL) == 0);
  CHECK(popped == late.made && late.ran == 0);
  OK(ABT_pool_push_thread(late.pool, popped));
  end(popped);
  CHECK(late.ran == 1);
}

static void arguments(void) {
  size_t size = 99;
  int id;
  ABT_pool_access access;
  struct seen seen;
  IS(ABT_ERR_INV_SCHED, ABT_sched_get_size(ABT_SCHED_NULL, &size));
  CHECK(size == 0);
  IS(ABT_ERR_INV_SCHED, ABT_sched_exit(ABT_SCHED_NULL));
  IS(ABT_ERR_INV_POOL, ABT_pool_get_access(ABT_POOL_NULL, &access));
  IS(ABT_ERR_INV_POOL, ABT_pool_get_id(ABT_POOL_NULL, &id));
  IS(ABT_ERR_INV_POOL, ABT_pool_remove(ABT_POOL_NULL, ABT_UNIT_NULL));
  IS(ABT_ERR_INV_POOL, ABT_pool_print_all(ABT_POOL_NULL, &seen, see));
}

void check_pools(void) {
  RUN(access_and_ids);
  RUN(removals);
  RUN(owner_and_thief);
  RUN(leaves_for_child);
  RUN(association);
  if (IS_WEFT) RUN(unknown_units);
  RUN(sizes_of_schedulers);
  RUN(pops_what_comes);
  RUN(arguments);
}
