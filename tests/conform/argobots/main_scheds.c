/* Main schedulers of streams: what predefined ones do; others instead of them, while streams run
 * and when they were joined. */
#include "check.h"

static ABT_pool new_automatic_pool(void) {
  ABT_pool pool = ABT_POOL_NULL;
  OK(ABT_pool_create_basic(ABT_POOL_FIFO, ABT_POOL_ACCESS_MPMC, ABT_TRUE, &pool));
  return pool;
}

static ABT_sched main_sched_of(ABT_xstream stream) {
  ABT_sched sched = ABT_SCHED_NULL;
  OK(ABT_xstream_get_main_sched(stream, &sched));
  return sched;
}

static ABT_pool my_last_pool(void) {
  ABT_pool pool = ABT_POOL_NULL;
  OK(ABT_self_get_last_pool(&pool));
  return pool;
}

/* ---- a scheduler of the program's own ---- */

static atomic_int runs, frees;

static void run_own(ABT_sched sched) {
  ABT_pool pool;
  void *argument = &pool;
  OK(ABT_self_get_arg(&argument));
  CHECK(argument == NULL);
  OK(ABT_sched_get_pools(sched, 1, 0, &pool));
  add_one(&runs);
  for (ABT_bool stop = ABT_FALSE; stop == ABT_FALSE;) {
    run_next(pool);
    OK(ABT_sched_has_to_stop(sched, &stop));
    OK(ABT_xstream_check_events(sched));
  }
}

static int free_own(ABT_sched sched) {
  (void)sched;
  add_one(&frees);
  return ABT_SUCCESS;
}

static ABT_sched new_own(bool is_automatic, ABT_pool pool) {
  ABT_sched_def def = {ABT_SCHED_TYPE_ULT, NULL, run_own, free_own, NULL};
  ABT_sched_config config;
  ABT_sched sched;
  OK(ABT_sched_config_create(&config, ABT_sched_config_automatic, is_automatic ? 1 : 0, ABT_sched_config_var_end));
  OK(ABT_sched_create(&def, 1, &pool, config, &sched));
  OK(ABT_sched_config_free(&config));
  return sched;
}

/* ---- BASIC looks at later pools, too ---- */

enum { looks = 6 };

struct pools_in_turn {
  ABT_pool first;
  bool with_new_units;
  int units_of_first; /* that ran since the last look */
  int seen[looks];
  bool is_over;
};

static void count_unit(void *argument) { ++((struct pools_in_turn *)argument)->units_of_first; }

static void keep_first_busy(void *argument) {
  struct pools_in_turn *const all = argument;
  while (!all->is_over) {
    count_unit(all);
    if (all->with_new_units) OK(ABT_thread_create(all->first, count_unit, all, ABT_THREAD_ATTR_NULL, NULL));
    OK(ABT_self_yield());
  }
}

static void look_from_second(void *argument) {
  struct pools_in_turn *const all = argument;
  for (int look = 0; look < looks; ++look) {
    all->seen[look] = all->units_of_first;
    all->units_of_first = 0;
    OK(ABT_self_yield());
  }
  all->is_over = true;
}

static ABT_xstream stream_on(ABT_pool pools[2], int frequency) {
  ABT_sched_config config;
  ABT_xstream stream;
  OK(ABT_sched_config_create(&config, ABT_sched_basic_freq, frequency, ABT_sched_config_var_end));
  OK(ABT_xstream_create_basic(ABT_SCHED_BASIC, 2, pools, config, &stream));
  OK(ABT_sched_config_free(&config));
  return stream;
}

/* The second pool's turn comes at every other look at events, and is one of the units till the
 * next. */
static void second_pool(int frequency, bool with_new_units) {
  ABT_pool pools[2] = {new_pool(ABT_POOL_FIFO), new_pool(ABT_POOL_FIFO)};
  struct pools_in_turn all = {.first = pools[0], .with_new_units = with_new_units};
  ABT_thread threads[3];
  for (int i = 0; i < 3; ++i) threads[i] = start(pools[i / 2], i < 2 ? keep_first_busy : look_from_second, &all);
  ABT_xstream stream = stream_on(pools, frequency);
  for (int i = 0; i < 3; ++i) end(threads[i]);
  end_stream(stream);
  for (int look = 1; look < looks; ++look) CHECK(all.seen[look] == 2 * frequency - 1);
  for (int i = 0; i < 2; ++i) OK(ABT_pool_free(&pools[i]));
}

static void second_pools(void) {
  for (int frequency = 1; frequency < 6; ++frequency) {
    second_pool(frequency, false);
    second_pool(frequency, true);
  }
}

/* ---- PRIO keeps its order: a later pool waits for as long as an earlier one has units ---- */

static atomic_int busy_ended;

static void yield_for_long(void *argument) {
  (void)argument;
  const double end = ABT_get_wtime() + 0.2;
  while (ABT_get_wtime() < end) OK(ABT_self_yield());
  atomic_fetch_add(&busy_ended, 1);
}

static void look_at_ended(void *ended) { *(int *)ended = atomic_load(&busy_ended); }

static void prio_is_strict(void) {
  ABT_pool pools[2] = {new_pool(ABT_POOL_FIFO), new_pool(ABT_POOL_FIFO)};
  ABT_thread threads[3];
  ABT_xstream stream;
  int ended = 0;
  atomic_store(&busy_ended, 0);
  for (int i = 0; i < 2; ++i) threads[i] = start(pools[0], yield_for_long, NULL);
  threads[2] = start(pools[1], look_at_ended, &ended);
  OK(ABT_xstream_create_basic(ABT_SCHED_PRIO, 2, pools, ABT_SCHED_CONFIG_NULL, &stream));
  for (int i = 0; i < 3; ++i) end(threads[i]);
  end_stream(stream);
  CHECK(ended == 2);
  for (int i = 0; i < 2; ++i) OK(ABT_pool_free(&pools[i]));
}

/* ---- a scheduler in a pool ends when there is nothing in its own, whatever its stream's main scheduler was told  */

struct exiting {
  ABT_xstream stream;
  int turns;
};

static void exit_main_and_yield(void *argument) {
  struct exiting *const mine = argument;
  OK(ABT_sched_exit(main_sched_of(mine->stream)));
  for (; mine->turns < 300; ++mine->turns) OK(ABT_self_yield());
}

static void stacked_goes_on(void) {
  ABT_pool outer = new_automatic_pool(), inner = new_pool(ABT_POOL_FIFO);
  ABT_sched stacked;
  struct exiting exiting = {.turns = 0};
  OK(ABT_xstream_create_basic(ABT_SCHED_BASIC, 1, &outer, ABT_SCHED_CONFIG_NULL, &exiting.stream));
  OK(ABT_sched_create_basic(ABT_SCHED_BASIC, 1, &inner, ABT_SCHED_CONFIG_NULL, &stacked));
  ABT_thread thread = start(inner, exit_main_and_yield, &exiting);
  OK(ABT_pool_add_sched(outer, stacked));
  end(thread);
  CHECK(exiting.turns == 300);
  end_stream(exiting.stream);
  OK(ABT_pool_free(&inner));
}

/* ---- by a ULT on the stream ---- */

/* The caller goes on in the new scheduler's pool, after what lay in the old one's. */
static void replace_by_predefined(void) {
  atomic_int ran = 0;
  ABT_xstream self;
  OK(ABT_xstream_self(&self));
  for (int round = 0; round < 3; ++round) {
    ABT_pool pool = new_automatic_pool();
    ABT_thread before[3];
    for (int i = 0; i < 3; ++i) before[i] = start(my_pool(), add_one, &ran);
    OK(ABT_xstream_set_main_sched_basic(self, round % 2 == 0 ? ABT_SCHED_BASIC : ABT_SCHED_PRIO, 1, &pool));
    CHECK(atomic_load(&ran) == 4 * round + 3);
    CHECK(my_pool() == pool && my_last_pool() == pool);
    for (int i = 0; i < 3; ++i) end(before[i]);
    end(start(pool, add_one, &ran));
    CHECK(atomic_load(&ran) == 4 * (round + 1));
  }
  OK(ABT_xstream_set_main_sched(self, ABT_SCHED_NULL));
  end(start(my_pool(), add_one, &ran));
  CHECK(my_last_pool() == my_pool());
}

/* One that is not automatic may be used again; an automatic one goes when it is replaced. */
static void replace_by_own(void) {
  atomic_int ran = 0;
  ABT_xstream self;
  OK(ABT_xstream_self(&self));
  atomic_store(&runs, 0);
  atomic_store(&frees, 0);
  ABT_pool pool = new_pool(ABT_POOL_FIFO);
  ABT_sched kept = new_own(false, pool), goes = new_own(true, pool);
  for (int round = 1; round <= 2; ++round) {
    OK(ABT_xstream_set_main_sched(self, kept));
    CHECK(main_sched_of(self) == kept && atomic_load(&runs) == 2 * round - 1);
    end(start(pool, add_one, &ran));
    IS(ABT_ERR_SCHED, ABT_sched_free(&kept)); /* it is in use */
    if (round == 2 || !IS_WEFT) break;        /* Argobots trips over what it remembers of the first use */
    OK(ABT_xstream_set_main_sched(self, goes));
    CHECK(main_sched_of(self) == goes && atomic_load(&runs) == 2);
    end(start(pool, add_one, &ran));
  }
  OK(ABT_xstream_set_main_sched(self, ABT_SCHED_NULL));
  CHECK(atomic_load(&frees) == IS_WEFT);
  OK(ABT_sched_free(&kept));
  if (!IS_WEFT) OK(ABT_sched_free(&goes));
  CHECK(atomic_load(&frees) == 2 && atomic_load(&ran) == (IS_WEFT ? 3 : 1));
  OK(ABT_pool_free(&pool));
}

struct replacing {
  ABT_pool from, to;
  atomic_int done;
};

static void replace_my_own(void *argument) {
  struct replacing *const mine = argument;
  ABT_xstream self;
  OK(ABT_xstream_self(&self));
  CHECK(my_last_pool() == mine->from);
  OK(ABT_xstream_set_main_sched_basic(self, ABT_SCHED_BASIC, 1, &mine->to));
  CHECK(my_last_pool() == mine->to && my_pool() == mine->to);
  add_one(&mine->done);
}

static void on_another_stream(void) {
  ABT_xstream stream = start_stream();
  struct replacing mine = {pool_of(stream), new_pool(ABT_POOL_FIFO), 0};
  end(start(mine.from, replace_my_own, &mine));
  CHECK(pool_of(stream) == mine.to);
  end(start(mine.to, add_one, &mine.done));
  CHECK(atomic_load(&mine.done) == 2);
  end_stream(stream);
  OK(ABT_pool_free(&mine.to));
}

/* ---- pools in which the caller cannot be ---- */

static ABT_unit name_nobody(ABT_pool pool, ABT_thread thread) {
  (void)pool, (void)thread;
  return ABT_UNIT_NULL;
}
static void free_no_name(ABT_pool pool, ABT_unit unit) { (void)pool, (void)unit; }
static ABT_bool is_always_empty(ABT_pool pool) {
  (void)pool;
  return ABT_TRUE;
}
static ABT_thread pop_nobody(ABT_pool pool, ABT_pool_context context) {
  (void)pool, (void)context;
  return ABT_THREAD_NULL;
}
static void push_nobody(ABT_pool pool, ABT_unit unit, ABT_pool_context context) { (void)pool, (void)unit, (void)context; }

static ABT_pool new_nameless_pool(bool is_automatic) {
  const int automatic = is_automatic;
  ABT_pool_user_def def;
  ABT_pool_config config;
  ABT_pool pool;
  OK(ABT_pool_user_def_create(name_nobody, free_no_name, is_always_empty, pop_nobody, push_nobody, &def));
  OK(ABT_pool_config_create(&config));
  OK(ABT_pool_config_set(config, ABT_pool_config_automatic.key, ABT_pool_config_automatic.type, &automatic));
  OK(ABT_pool_create(def, config, &pool));
  OK(ABT_pool_config_free(&config));
  OK(ABT_pool_user_def_free(&def));
  return pool;
}

/* The stream keeps its scheduler, and the caller its pools. */
static void without_a_name(void) {
  ABT_xstream self;
  OK(ABT_xstream_self(&self));
  const ABT_sched before = main_sched_of(self);
  for (int is_automatic = 0; is_automatic < 2; ++is_automatic) {
    ABT_pool pools[3] = {new_nameless_pool(is_automatic), ABT_POOL_NULL, new_pool(ABT_POOL_FIFO)};
    atomic_int ran = 0;
    for (int round = 0; round < 2; ++round) {
      IS(ABT_ERR_OTHER, ABT_xstream_set_main_sched_basic(self, ABT_SCHED_BASIC, 1, pools));
      IS(ABT_ERR_OTHER, ABT_xstream_set_main_sched_basic(self, ABT_SCHED_PRIO, 3, pools));
    }
    CHECK(main_sched_of(self) == before && my_last_pool() == my_pool());
    ABT_thread thread = start(pools[2], add_one, &ran);
    CHECK(run_next(pools[2]) && atomic_load(&ran) == 1);
    end(thread);
    for (int i = 0; i < 3; i += 2) OK(ABT_pool_free(&pools[i]));
  }
}

/* ---- of streams that were joined ---- */

static void of_a_joined_stream(void) {
  atomic_int ran = 0;
  ABT_xstream stream = start_stream();
  ABT_pool pool = new_pool(ABT_POOL_FIFO);
  IS(ABT_ERR_XSTREAM_STATE, ABT_xstream_set_main_sched(stream, ABT_SCHED_NULL)); /* it runs */
  if (IS_WEFT) IS(ABT_ERR_XSTREAM_STATE, ABT_xstream_set_main_sched_basic(stream, ABT_SCHED_BASIC, 1, &pool));
  OK(ABT_xstream_join(stream));
  OK(ABT_xstream_set_main_sched_basic(stream, ABT_SCHED_BASIC, 1, &pool));
  CHECK(pool_of(stream) == pool);
  OK(ABT_xstream_revive(stream));
  end(start(pool, add_one, &ran));
  OK(ABT_xstream_join(stream));
  OK(ABT_xstream_set_main_sched(stream, new_own(true, pool)));
  atomic_store(&frees, 0);
  OK(ABT_xstream_revive(stream));
  end(start(pool, add_one, &ran));
  end_stream(stream);
  CHECK(atomic_load(&ran) == 2 && atomic_load(&frees) == 1);
  OK(ABT_pool_free(&pool));
}

/* ---- while others look at the stream ---- */

static void replace_until(void *may_end) {
  ABT_xstream self;
  OK(ABT_xstream_self(&self));
  while (atomic_load((atomic_int *)may_end) == 0) OK(ABT_xstream_set_main_sched(self, ABT_SCHED_NULL));
}

/* It has other pools each time. */
static void under_others_eyes(void) {
  const int rounds = IS_SLOW ? 200 : 2000;
  atomic_int may_end = 0;
  ABT_xstream stream = start_stream();
  ABT_pool unserved = new_pool(ABT_POOL_FIFO);
  const ABT_thread replacing = start(pool_of(stream), replace_until, &may_end), moving = start(unserved, nothing, NULL);
  FILE *const file = fopen("/dev/null", "w");
  CHECK(file != NULL);
  for (int round = 0; round < rounds; ++round) {
    OK(ABT_thread_migrate(moving));
    OK(ABT_thread_migrate_to_xstream(moving, stream));
    if (round % 16 == 0) OK(ABT_info_print_all_xstreams(file));
  }
  atomic_store(&may_end, 1);
  end(replacing);
  OK(ABT_thread_migrate_to_xstream(moving, stream)); /* to what it has now */
  run_next(unserved);
  end(moving);
  end_stream(stream);
  OK(ABT_pool_free(&unserved));
  fclose(file);
}

struct look_around {
  ABT_thread moving;
  atomic_int has_begun, may_end;
};

static void look_until(void *argument) {
  struct look_around *const mine = argument;
  FILE *const file = fopen("/dev/null", "w");
  CHECK(file != NULL);
  while (atomic_load(&mine->may_end) == 0) {
    OK(ABT_thread_migrate(mine->moving));
    OK(ABT_info_print_all_xstreams(file));
    atomic_store(&mine->has_begun, 1);
    sched_yield(); /* where there is one core only */
  }
  fclose(file);
}

/* They find new ones, whose schedulers are laid out, and old ones. */
static void made_under_others_eyes(void) {
  const int rounds = IS_SLOW ? 20 : 100;
  ABT_xstream looking = start_stream();
  ABT_pool unserved = new_pool(ABT_POOL_FIFO);
  struct look_around all = {.moving = start(unserved, nothing, NULL)};
  const ABT_thread looks_around = start(pool_of(looking), look_until, &all);
  wait_for(&all.has_begun, 1);
  for (int round = 0; round < rounds; ++round) end_stream(start_stream());
  atomic_store(&all.may_end, 1);
  end(looks_around);
  OK(ABT_thread_migrate_to_xstream(all.moving, looking)); /* to one that is there */
  run_next(unserved);
  end(all.moving);
  end_stream(looking);
  OK(ABT_pool_free(&unserved));
}

/* ---- callers that may not ---- */

static void refused(void *wanted) {
  ABT_xstream stream = *(ABT_xstream *)wanted;
  const int code = ABT_xstream_set_main_sched(stream, ABT_SCHED_NULL);
  ABT_unit_type type = ABT_UNIT_TYPE_EXT;
  const bool is_outside = ABT_self_get_type(&type) != ABT_SUCCESS;
  IS(is_outside ? ABT_ERR_INV_XSTREAM : ABT_ERR_INV_THREAD, code);
}

static void who_may_not(void) {
  ABT_xstream self, other = start_stream();
  ABT_task task;
  OK(ABT_xstream_self(&self));
  run_outside(refused, &self);
  OK(ABT_task_create(my_pool(), refused, &self, &task));
  OK(ABT_task_free(&task));
  IS(ABT_ERR_XSTREAM_STATE, ABT_xstream_set_main_sched(other, ABT_SCHED_NULL));
  IS(ABT_ERR_INV_SCHED, ABT_xstream_set_main_sched(self, main_sched_of(other))); /* it is in use */
  IS(ABT_ERR_INV_SCHED, ABT_xstream_create(main_sched_of(other), &(ABT_xstream){ABT_XSTREAM_NULL}));
  ABT_pool none = ABT_POOL_NULL;
  if (IS_WEFT) IS(ABT_ERR_INV_ARG, ABT_xstream_set_main_sched_basic(self, ABT_SCHED_BASIC, -1, &none)); /* Argobots: no memory */
  end_stream(other);
}

void check_main_scheds(void) {
  if (IS_WEFT) RUN(second_pools);
  RUN(prio_is_strict);
  RUN(replace_by_predefined);
  RUN(replace_by_own);
  RUN(on_another_stream);
  if (IS_WEFT) RUN(without_a_name);
  RUN(of_a_joined_stream);
  if (IS_WEFT) RUN(under_others_eyes);
  if (IS_WEFT) RUN(made_under_others_eyes);
  RUN(who_may_not);
  RUN(stacked_goes_on);
}
