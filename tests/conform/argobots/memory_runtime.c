/* Memory runs out for what runs units: streams, schedulers, pools. */
#include "memory.h"

/* ---- start and end ---- */

void lack_memory_for_start_and_end(void) {
  if (!GOT(ABT_init(0, NULL))) {
    IS(ABT_ERR_UNINITIALIZED, ABT_initialized());
    IS(ABT_ERR_UNINITIALIZED, ABT_finalize());
    return;
  }
  ABT_thread thread;
  if (GOT(ABT_thread_create(my_pool(), nothing, NULL, ABT_THREAD_ATTR_NULL, &thread))) end(thread);
  OK(ABT_finalize());
}

static void suspend_and_add(void *argument) {
  OK(ABT_self_suspend());
  add_one(argument);
}

static bool is_blocked(ABT_thread thread) {
  ABT_thread_state state;
  OK(ABT_thread_get_state(thread, &state));
  return state == ABT_THREAD_STATE_BLOCKED;
}

/* So many that records and stacks have to be got. One for which there is no stack waits until
 * there is. */
void lack_memory_for_many_blocked(void) {
  enum { count = 150 };
  atomic_int ran = 0;
  ABT_thread threads[count];
  int made = 0;
  if (!GOT(ABT_init(0, NULL))) return;
  for (int i = 0; i < count; ++i) {
    made += GOT(ABT_thread_create(my_pool(), suspend_and_add, &ran, ABT_THREAD_ATTR_NULL, &threads[i]));
  }
  for (int i = 0; i < count; ++i) {
    if (threads[i] != ABT_THREAD_NULL) await_blocked(threads[i]);
  }
  for (int i = 0; i < count; ++i) {
    if (threads[i] == ABT_THREAD_NULL) continue;
    OK(ABT_thread_resume(threads[i]));
    end(threads[i]);
  }
  CHECK(atomic_load(&ran) == made);
  OK(ABT_finalize());
}

/* ---- execution streams ---- */

static void end_if_made(bool is_made, ABT_xstream *stream) {
  if (is_made) {
    OK(ABT_xstream_free(stream));
  } else {
    CHECK(*stream == ABT_XSTREAM_NULL);
  }
}

static void replace_schedulers(void) {
  ABT_xstream primary;
  ABT_pool given[2] = {ABT_POOL_NULL, my_pool()};
  OK(ABT_xstream_self(&primary));
  GOT(ABT_xstream_set_main_sched_basic(primary, ABT_SCHED_BASIC, 2, given));
  GOT(ABT_xstream_set_main_sched(primary, ABT_SCHED_NULL));
  GOT(ABT_xstream_set_main_sched_basic(primary, ABT_SCHED_PRIO, 0, NULL));
  GOT(ABT_xstream_set_main_sched_basic(primary, ABT_SCHED_BASIC, 0, NULL));
}

void lack_memory_for_streams(void) {
  ABT_xstream made[2], served;
  ABT_pool pools[2] = {ABT_POOL_NULL, ABT_POOL_NULL}, given[2] = {my_pool(), ABT_POOL_NULL};
  end_if_made(GOT(ABT_xstream_create_basic(ABT_SCHED_BASIC, 2, given, ABT_SCHED_CONFIG_NULL, &served)), &served);
  end_if_made(GOT(ABT_xstream_create_with_rank(ABT_SCHED_NULL, 7, &made[0])), &made[0]);
  const bool is_made = GOT(ABT_xstream_create_basic(ABT_SCHED_RANDWS, 2, pools, ABT_SCHED_CONFIG_NULL, &made[1]));
  if (is_made) {
    OK(ABT_xstream_join(made[1]));
    if (GOT(ABT_xstream_revive(made[1]))) OK(ABT_xstream_join(made[1]));
  }
  end_if_made(is_made, &made[1]);
  replace_schedulers();
}

/* ---- schedulers ---- */

static void run_until_stop(ABT_sched sched) {
  for (ABT_bool stop = ABT_FALSE; stop == ABT_FALSE;) {
    OK(ABT_sched_has_to_stop(sched, &stop));
    OK(ABT_xstream_check_events(sched));
    OK(ABT_thread_yield());
  }
}

void lack_memory_for_schedulers(void) {
  ABT_sched_def def = {ABT_SCHED_TYPE_ULT, NULL, run_until_stop, NULL, NULL};
  ABT_pool pools[3] = {ABT_POOL_NULL, my_pool(), ABT_POOL_NULL};
  ABT_sched own, basic, stacked;
  if (GOT(ABT_sched_create(&def, 3, pools, ABT_SCHED_CONFIG_NULL, &own))) OK(ABT_sched_free(&own));
  CHECK(own == ABT_SCHED_NULL);
  if (GOT(ABT_sched_create_basic(ABT_SCHED_PRIO, 0, NULL, ABT_SCHED_CONFIG_NULL, &basic))) OK(ABT_sched_free(&basic));
  CHECK(basic == ABT_SCHED_NULL);
  if (!GOT(ABT_sched_create_basic(ABT_SCHED_BASIC, 0, NULL, ABT_SCHED_CONFIG_NULL, &stacked))) return;
  if (GOT(ABT_pool_add_sched(my_pool(), stacked))) {
    OK(ABT_thread_yield()); /* it ends, and goes */
  } else {
    OK(ABT_sched_free(&stacked));
  }
}

void lack_memory_for_configurations(void) {
  const ABT_sched_config_var number = {0, ABT_SCHED_CONFIG_INT};
  ABT_sched_config of_sched;
  ABT_pool_config of_pool;
  if (GOT(ABT_sched_config_create(&of_sched, number, 3, ABT_sched_config_var_end))) {
    for (int key = 1; key < 20; ++key) GOT(ABT_sched_config_set(of_sched, key, ABT_SCHED_CONFIG_INT, &key));
    int value = 0;
    OK(ABT_sched_config_get(of_sched, 0, NULL, &value));
    CHECK(value == 3);
    OK(ABT_sched_config_free(&of_sched));
  }
  if (!GOT(ABT_pool_config_create(&of_pool))) return;
  for (int key = 0; key < 20; ++key) GOT(ABT_pool_config_set(of_pool, key, ABT_POOL_CONFIG_INT, &key));
  OK(ABT_pool_config_free(&of_pool));
}

/* ---- pools ---- */

enum { most = 256 };
static struct record {
  ABT_thread thread;
  ABT_pool_context pushed_with;
  bool is_used;
} records[most];
static ABT_thread stack[most];
static int depth;

static ABT_unit make_record(ABT_pool pool, ABT_thread thread) {
  (void)pool;
  for (int i = 0; i < most; ++i) {
    if (records[i].is_used) continue;
    records[i] = (struct record){thread, 0, true};
    return (ABT_unit)&records[i];
  }
  return ABT_UNIT_NULL;
}
static void free_record(ABT_pool pool, ABT_unit unit) {
  (void)pool;
  ((struct record *)unit)->is_used = false;
}
static ABT_bool has_none(ABT_pool pool) {
  (void)pool;
  return depth == 0 ? ABT_TRUE : ABT_FALSE;
}
static ABT_thread pop_last(ABT_pool pool, ABT_pool_context context) {
  (void)pool, (void)context;
  return depth == 0 ? ABT_THREAD_NULL : stack[--depth];
}
static void push_last(ABT_pool pool, ABT_unit unit, ABT_pool_context context) {
  (void)pool;
  ((struct record *)unit)->pushed_with = context;
  stack[depth++] = ((struct record *)unit)->thread;
}

static void use_pool(ABT_pool pool) {
  atomic_int ran = 0;
  ABT_thread threads[4];
  int made = 0;
  for (int i = 0; i < 4; ++i) made += GOT(ABT_thread_create(pool, add_one, &ran, ABT_THREAD_ATTR_NULL, &threads[i]));
  run_what_is_there(pool);
  CHECK(atomic_load(&ran) == made);
  for (int i = 0; i < 4; ++i) {
    if (threads[i] != ABT_THREAD_NULL) end(threads[i]);
  }
}

static bool make_user_pool(ABT_pool *out) {
  ABT_pool_user_def def;
  if (!GOT(ABT_pool_user_def_create(make_record, free_record, has_none, pop_last, push_last, &def))) return false;
  const bool is_made = GOT(ABT_pool_create(def, ABT_POOL_CONFIG_NULL, out));
  OK(ABT_pool_user_def_free(&def));
  return is_made;
}

static void free_user_pool(ABT_pool pool) {
  for (int i = 0; i < most; ++i) CHECK(!records[i].is_used);
  OK(ABT_pool_free(&pool));
}

static void use_user_pool(void) {
  ABT_pool pool;
  if (!make_user_pool(&pool)) return;
  use_pool(pool);
  free_user_pool(pool);
}

void lack_memory_for_pools(void) {
  const ABT_pool_kind kinds[] = {ABT_POOL_FIFO, ABT_POOL_FIFO_WAIT, ABT_POOL_RANDWS};
  for (int i = 0; i < 3; ++i) {
    ABT_pool pool;
    const bool is_made = GOT(ABT_pool_create_basic(kinds[i], ABT_POOL_ACCESS_MPMC, ABT_FALSE, &pool));
    if (is_made) use_pool(pool);
    if (is_made) OK(ABT_pool_free(&pool));
    CHECK(pool == ABT_POOL_NULL);
  }
  use_user_pool();
}

/* ---- no stack for the one that is named ---- */

enum { most_named = 70 }; /* they keep their stacks: more than come at a time */

static void hand_over_to_each(void *argument) {
  for (const ABT_thread *target = argument; *target != ABT_THREAD_NULL; ++target) {
    OK(ABT_self_suspend());
    OK(ABT_self_yield_to(*target));
  }
}

static ABT_pool_context pushed_with(ABT_thread thread) {
  ABT_unit unit;
  OK(ABT_thread_get_unit(thread, &unit));
  return ((const struct record *)unit)->pushed_with;
}

static ABT_thread popped_from(ABT_pool pool) {
  ABT_thread popped;
  OK(ABT_pool_pop_thread(pool, &popped));
  return popped;
}

/* A ULT that named one that cannot run yet has left nevertheless: its pool is told why it comes,
 * then and the next time. */
static void check_each_turn(ABT_thread giver, ABT_pool pool) {
  run_what_is_there(pool);
  while (is_blocked(giver)) {
    OK(ABT_thread_resume(giver));
    CHECK(pushed_with(giver) == ABT_POOL_CONTEXT_OP_THREAD_RESUME);
    CHECK(popped_from(pool) == giver);
    OK(ABT_self_schedule(giver, ABT_POOL_NULL));
    CHECK(pushed_with(giver) == ABT_POOL_CONTEXT_OP_THREAD_YIELD_TO);
    run_what_is_there(pool);
  }
}

static void name_many(ABT_pool pool) {
  static atomic_int ran;
  ABT_thread targets[most_named + 1], giver;
  int made = 0;
  for (int i = 0; i < most_named; ++i) {
    if (!GOT(ABT_thread_create(pool, suspend_and_add, &ran, ABT_THREAD_ATTR_NULL, &targets[made]))) continue;
    CHECK(popped_from(pool) == targets[made]);
    ++made;
  }
  targets[made] = ABT_THREAD_NULL;
  atomic_store(&ran, 0);
  if (GOT(ABT_thread_create(pool, hand_over_to_each, targets, ABT_THREAD_ATTR_NULL, &giver))) {
    check_each_turn(giver, pool);
    end(giver);
  } else {
    for (int i = 0; i < made; ++i) OK(ABT_self_schedule(targets[i], ABT_POOL_NULL));
  }
  run_what_is_there(pool); /* targets that had no stack before */
  for (int i = 0; i < made; ++i) OK(ABT_thread_resume(targets[i]));
  run_what_is_there(pool);
  for (int i = 0; i < made; ++i) end(targets[i]);
  CHECK(atomic_load(&ran) == made);
}

void lack_memory_for_handing_over(void) {
  ABT_pool pool;
  if (!make_user_pool(&pool)) return;
  name_many(pool);
  free_user_pool(pool);
}
