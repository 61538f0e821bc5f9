/* Migration to pools, schedulers and streams, and its callbacks. */
#include "check.h"

static ABT_xstream there;
static ABT_pool pool_here, pool_there;

struct traveller {
  atomic_int started, may_end, moved;
  ABT_thread said; /* by the callback */
  int rank;        /* where it ended */
};

static void travel(void *argument) {
  struct traveller *self = argument;
  add_one(&self->started);
  while (atomic_load(&self->may_end) == 0) OK(ABT_self_yield());
  OK(ABT_self_get_xstream_rank(&self->rank));
}

static void note(ABT_thread thread, void *argument) {
  struct traveller *self = argument;
  self->said = thread;
  add_one(&self->moved);
}

static ABT_pool last_pool(ABT_thread thread) {
  ABT_pool pool = ABT_POOL_NULL;
  OK(ABT_thread_get_last_pool(thread, &pool));
  return pool;
}

static int migrate_to_pool(ABT_thread thread) { return ABT_thread_migrate_to_pool(thread, pool_there); }
static int migrate_to_stream(ABT_thread thread) { return ABT_thread_migrate_to_xstream(thread, there); }
static int migrate_to_scheduler(ABT_thread thread) {
  ABT_sched sched;
  OK(ABT_xstream_get_main_sched(there, &sched));
  return ABT_thread_migrate_to_sched(thread, sched);
}

/* A ULT that has started, or not, is migrated by `ask`; its callback was given to it or to its
 * attributes. */
static void migrate(int (*ask)(ABT_thread), bool has_started, bool by_attribute) {
  struct traveller self = {.rank = -1};
  ABT_thread_attr attr;
  ABT_thread thread;
  OK(ABT_thread_attr_create(&attr));
  if (by_attribute) OK(ABT_thread_attr_set_callback(attr, note, &self));
  OK(ABT_thread_create(pool_here, travel, &self, attr, &thread));
  OK(ABT_thread_attr_free(&attr));
  if (!by_attribute) OK(ABT_thread_set_callback(thread, note, &self));
  if (has_started) wait_for(&self.started, 1);
  CHECK(last_pool(thread) == pool_here);
  OK(ask(thread));
  wait_for(&self.moved, 1);
  CHECK(self.said == thread);
  wait_for(&self.started, 1);
  while (last_pool(thread) != pool_there) breathe();
  IS(ABT_ERR_MIGRATION_TARGET, ask(thread));
  atomic_store(&self.may_end, 1);
  OK(ABT_thread_join(thread));
  int rank = -2;
  OK(ABT_xstream_get_rank(there, &rank));
  CHECK(self.rank == rank && atomic_load(&self.moved) == 1);
  end(thread);
}

static void targets(void) {
  int (*const asks[])(ABT_thread) = {migrate_to_pool, migrate_to_stream, migrate_to_scheduler};
  for (int i = 0; i < 3; ++i) {
    migrate(asks[i], false, false);
    migrate(asks[i], true, true);
  }
}

static void tasklets(void) {
  atomic_int ran = 0;
  ABT_task task;
  OK(ABT_task_create(pool_here, add_one, &ran, &task));
  OK(migrate_to_pool(task));
  OK(ABT_task_join(task));
  CHECK(atomic_load(&ran) == 1 && last_pool(task) == pool_there);
  OK(ABT_task_free(&task));
}

static void permission(void) {
  ABT_thread_attr attr;
  ABT_bool may = ABT_TRUE;
  ABT_thread thread, self;
  OK(ABT_thread_attr_create(&attr));
  OK(ABT_thread_attr_set_migratable(attr, ABT_FALSE));
  OK(ABT_thread_create(pool_here, nothing, NULL, attr, &thread));
  OK(ABT_thread_attr_free(&attr));
  OK(ABT_thread_is_migratable(thread, &may));
  CHECK(may == ABT_FALSE);
  IS(ABT_ERR_INV_THREAD, migrate_to_pool(thread));
  IS(ABT_ERR_INV_THREAD, migrate_to_stream(thread));
  IS(ABT_ERR_INV_THREAD, migrate_to_scheduler(thread));
  IS(ABT_ERR_INV_THREAD, ABT_thread_migrate(thread));
  OK(ABT_thread_set_migratable(thread, ABT_TRUE));
  OK(ABT_thread_is_migratable(thread, &may));
  CHECK(may == ABT_TRUE);
  OK(migrate_to_pool(thread));
  end(thread);

  ABT_task task;
  OK(ABT_task_create(pool_here, nothing, NULL, &task));
  OK(ABT_task_is_migratable(task, &may));
  CHECK(may == ABT_TRUE);
  OK(ABT_task_set_migratable(task, ABT_FALSE));
  OK(ABT_task_is_migratable(task, &may));
  CHECK(may == ABT_FALSE);
  IS(ABT_ERR_INV_THREAD, migrate_to_pool(task));
  OK(ABT_task_free(&task));

  OK(ABT_thread_self(&self));
  OK(ABT_thread_set_migratable(self, ABT_TRUE)); /* has no effect on the primary ULT */
  OK(ABT_thread_is_migratable(self, &may));
  CHECK(may == ABT_FALSE);
  IS(ABT_ERR_INV_THREAD, migrate_to_pool(self));
}

static void arguments(void) {
  ABT_thread thread = start(pool_here, nothing, NULL);
  ABT_bool may;
  IS(ABT_ERR_INV_POOL, ABT_thread_migrate_to_pool(thread, ABT_POOL_NULL));
  IS(ABT_ERR_INV_SCHED, ABT_thread_migrate_to_sched(thread, ABT_SCHED_NULL));
  IS(ABT_ERR_INV_XSTREAM, ABT_thread_migrate_to_xstream(thread, ABT_XSTREAM_NULL));
  IS(ABT_ERR_INV_THREAD, migrate_to_pool(ABT_THREAD_NULL));
  IS(ABT_ERR_INV_THREAD, migrate_to_scheduler(ABT_THREAD_NULL));
  IS(ABT_ERR_INV_THREAD, ABT_thread_set_callback(ABT_THREAD_NULL, note, NULL));
  IS(ABT_ERR_INV_THREAD, ABT_thread_is_migratable(ABT_THREAD_NULL, &may));
  IS(ABT_ERR_INV_THREAD, ABT_thread_set_migratable(ABT_THREAD_NULL, ABT_TRUE));
  IS(ABT_ERR_INV_TASK, ABT_task_is_migratable(ABT_TASK_NULL, &may));
  IS(ABT_ERR_INV_TASK, ABT_task_set_migratable(ABT_TASK_NULL, ABT_TRUE));
  IS(ABT_ERR_INV_THREAD_ATTR, ABT_thread_attr_set_callback(ABT_THREAD_ATTR_NULL, note, NULL));
  IS(ABT_ERR_INV_THREAD_ATTR, ABT_thread_attr_set_migratable(ABT_THREAD_ATTR_NULL, ABT_TRUE));
  IS(ABT_ERR_MIGRATION_TARGET, ABT_thread_migrate_to_pool(thread, pool_here));
  OK(ABT_thread_set_callback(thread, NULL, NULL));
  OK(migrate_to_pool(thread));
  end(thread);
}

/* ---- to a pool that cannot name it yet ---- */

static int refusals; /* that are left */
static ABT_thread in_forgetful;

static ABT_unit name_later(ABT_pool pool, ABT_thread thread) {
  (void)pool;
  return refusals-- > 0 ? ABT_UNIT_NULL : (ABT_unit)thread;
}
static void free_name(ABT_pool pool, ABT_unit unit) { (void)pool, (void)unit; }
static ABT_bool is_empty(ABT_pool pool) {
  (void)pool;
  return in_forgetful == ABT_THREAD_NULL ? ABT_TRUE : ABT_FALSE;
}
static ABT_thread pop(ABT_pool pool, ABT_pool_context context) {
  (void)pool, (void)context;
  const ABT_thread popped = in_forgetful;
  in_forgetful = ABT_THREAD_NULL;
  return popped;
}
static void push(ABT_pool pool, ABT_unit unit, ABT_pool_context context) {
  (void)pool, (void)context;
  in_forgetful = (ABT_thread)unit;
}

static ABT_pool new_forgetful_pool(void) {
  ABT_pool_user_def def;
  ABT_pool pool;
  in_forgetful = ABT_THREAD_NULL;
  OK(ABT_pool_user_def_create(name_later, free_name, is_empty, pop, push, &def));
  OK(ABT_pool_create(def, ABT_POOL_CONFIG_NULL, &pool));
  OK(ABT_pool_user_def_free(&def));
  return pool;
}

static void give_turn(ABT_pool pool) {
  if (pool == my_pool()) {
    OK(ABT_thread_yield());
  } else {
    run_next(pool);
  }
}

/* It is tried again whenever the unit starts, yields or goes on. */
static void move_after_refusals(int count, ABT_pool from, ABT_pool to) {
  struct traveller self = {.rank = -1};
  const ABT_thread thread = start(from, travel, &self);
  refusals = count;
  OK(ABT_thread_set_callback(thread, note, &self));
  OK(ABT_thread_migrate_to_pool(thread, to));
  for (int turn = 0; turn <= count && in_forgetful == ABT_THREAD_NULL; ++turn) give_turn(from);
  CHECK(in_forgetful == thread && last_pool(thread) == to && atomic_load(&self.moved) == 1);
  atomic_store(&self.may_end, 1);
  run_what_is_there(to);
  end(thread);
}

static void refused_at_first(void) {
  ABT_pool aside = new_pool(ABT_POOL_FIFO), forgetful = new_forgetful_pool();
  for (int count = 0; count < 5; ++count) {
    move_after_refusals(count, aside, forgetful);
    move_after_refusals(count, pool_here, forgetful);
  }
  OK(ABT_pool_free(&aside));
  OK(ABT_pool_free(&forgetful));
}

/* To a stream that does not serve its pool, while there is one. */
static void nowhere_else(void) {
  ABT_pool everywhere = new_pool(ABT_POOL_FIFO);
  ABT_xstream stream;
  OK(ABT_xstream_create_basic(ABT_SCHED_BASIC, 1, &everywhere, ABT_SCHED_CONFIG_NULL, &stream));
  ABT_thread thread = start(my_pool(), nothing, NULL);
  OK(ABT_thread_migrate(thread)); /* there are others than its own */
  end(thread);
  end_stream(stream);
  thread = start(my_pool(), nothing, NULL);
  IS(ABT_ERR_MIGRATION_NA, ABT_thread_migrate(thread));
  end(thread);
  OK(ABT_pool_free(&everywhere));
}

void check_migration(void) {
  if (IS_WEFT) RUN(nowhere_else);
  there = start_stream();
  pool_here = my_pool();
  pool_there = pool_of(there);
  RUN(targets);
  RUN(tasklets);
  RUN(permission);
  RUN(arguments);
  RUN(refused_at_first);
  end_stream(there);
}
