/* Pools by ABT_pool_def, the older definition: all that one may have, and one that has only what
 * it must. */
#include "check.h"

#pragma GCC diagnostic ignored "-Wdeprecated-declarations" /* ABT_pool_pop_timedwait is of that age */

/* ---- a list of units, which are records with a thread each ---- */

struct unit {
  ABT_thread thread;
  struct unit *next;
  bool is_listed;
};

static struct unit *first;
static int made, inits, frees, timed;

static ABT_unit make_unit(ABT_thread thread) {
  struct unit *const unit = malloc(sizeof *unit);
  CHECK(unit != NULL);
  *unit = (struct unit){thread, NULL, false};
  ++made;
  return (ABT_unit)unit;
}

static void free_unit(ABT_unit *unit) {
  CHECK(!((struct unit *)*unit)->is_listed);
  free(*unit);
  *unit = ABT_UNIT_NULL;
  --made;
}

static ABT_bool is_listed(ABT_unit unit) { return ((struct unit *)unit)->is_listed ? ABT_TRUE : ABT_FALSE; }

static int data_of_pool;
static int init_list(ABT_pool pool, ABT_pool_config config) {
  (void)config;
  ++inits;
  return ABT_pool_set_data(pool, &data_of_pool);
}

static int refuse(ABT_pool pool, ABT_pool_config config) {
  (void)pool, (void)config;
  return ABT_ERR_INV_ARG;
}

static size_t length_of_list(ABT_pool pool) {
  (void)pool;
  size_t length = 0;
  for (const struct unit *one = first; one != NULL; one = one->next) ++length;
  return length;
}

static void push_last(ABT_pool pool, ABT_unit handle) {
  struct unit **link = &first, *const unit = (struct unit *)handle;
  void *data = NULL;
  OK(ABT_pool_get_data(pool, &data));
  CHECK((data == &data_of_pool || inits == 0) && !unit->is_listed);
  while (*link != NULL) link = &(*link)->next;
  *link = unit;
  unit->next = NULL;
  unit->is_listed = true;
}

static ABT_unit pop_first(ABT_pool pool) {
  (void)pool;
  struct unit *const unit = first;
  if (unit == NULL) return ABT_UNIT_NULL;
  first = unit->next;
  unit->is_listed = false;
  return (ABT_unit)unit;
}

static ABT_unit pop_until(ABT_pool pool, double when) {
  CHECK(when > 0);
  ++timed;
  return pop_first(pool);
}

static int remove_unit(ABT_pool pool, ABT_unit handle) {
  (void)pool;
  struct unit **link = &first, *const unit = (struct unit *)handle;
  while (*link != NULL && *link != unit) link = &(*link)->next;
  if (*link == NULL) return ABT_ERR_POOL;
  *link = unit->next;
  unit->is_listed = false;
  return ABT_SUCCESS;
}

static int free_list(ABT_pool pool) {
  (void)pool;
  ++frees;
  return ABT_SUCCESS;
}

static int print_list(ABT_pool pool, void *argument, void (*print)(void *, ABT_unit)) {
  (void)pool;
  for (struct unit *one = first; one != NULL; one = one->next) print(argument, (ABT_unit)one);
  return ABT_SUCCESS;
}

static ABT_pool_def whole_def(void) {
  return (ABT_pool_def){.access = ABT_POOL_ACCESS_MPSC,
                        .u_is_in_pool = is_listed,
                        .u_create_from_thread = make_unit,
                        .u_free = free_unit,
                        .p_init = init_list,
                        .p_get_size = length_of_list,
                        .p_push = push_last,
                        .p_pop = pop_first,
                        .p_pop_timedwait = pop_until,
                        .p_remove = remove_unit,
                        .p_free = free_list,
                        .p_print_all = print_list};
}

static ABT_pool_def least_def(void) {
  return (ABT_pool_def){.access = ABT_POOL_ACCESS_MPMC,
                        .u_create_from_thread = make_unit,
                        .u_free = free_unit,
                        .p_get_size = length_of_list,
                        .p_push = push_last,
                        .p_pop = pop_first};
}

static ABT_pool new_list(ABT_pool_def def) {
  ABT_pool pool = ABT_POOL_NULL;
  first = NULL;
  made = inits = frees = timed = 0;
  OK(ABT_pool_create(&def, ABT_POOL_CONFIG_NULL, &pool));
  return pool;
}

static void free_pool(ABT_pool pool) {
  OK(ABT_pool_free(&pool));
  CHECK(pool == ABT_POOL_NULL && made == 0);
}

static size_t size_of(ABT_pool pool, bool has_blocked) {
  size_t size = 99;
  OK(has_blocked ? ABT_pool_get_total_size(pool, &size) : ABT_pool_get_size(pool, &size));
  return size;
}

/* ---- what it can do ---- */

static void count_thread(void *argument, ABT_thread thread) {
  CHECK(thread != ABT_THREAD_NULL);
  *(int *)argument += 1;
}

static void count_unit(void *argument, ABT_unit unit) {
  CHECK(unit != ABT_UNIT_NULL && ((struct unit *)unit)->is_listed);
  *(int *)argument += 1;
}

static void ask(ABT_pool pool) {
  ABT_bool is_empty = ABT_TRUE;
  ABT_pool_access access = ABT_POOL_ACCESS_PRIV;
  int threads = 0, units = 0;
  OK(ABT_pool_is_empty(pool, &is_empty));
  OK(ABT_pool_get_access(pool, &access));
  CHECK(is_empty == ABT_FALSE && access == ABT_POOL_ACCESS_MPSC && size_of(pool, false) == 3 && size_of(pool, true) == 3);
  OK(ABT_pool_print_all_threads(pool, &threads, count_thread));
  OK(ABT_pool_print_all(pool, &units, count_unit));
  CHECK(threads == 3 && units == 3);
}

static void take_in_all_ways(ABT_pool pool, const ABT_thread threads[3]) {
  ABT_unit unit = ABT_UNIT_NULL;
  ABT_thread popped[3] = {ABT_THREAD_NULL, ABT_THREAD_NULL, ABT_THREAD_NULL};
  size_t count = 0;
  OK(ABT_thread_get_unit(threads[1], &unit));
  OK(ABT_pool_remove(pool, unit));
  CHECK(size_of(pool, false) == 2);
  OK(ABT_pool_push(pool, unit));
  OK(ABT_pool_pop_timedwait(pool, &unit, ABT_get_wtime()));
  CHECK(timed == 1);
  OK(ABT_unit_get_thread(unit, &popped[0]));
  CHECK(popped[0] == threads[0]);
  OK(ABT_pool_push_thread(pool, popped[0]));
  OK(ABT_pool_pop_threads(pool, popped, 3, &count));
  CHECK(count == 3 && popped[0] == threads[2] && popped[1] == threads[1] && popped[2] == threads[0]);
  OK(ABT_pool_push_threads(pool, popped, 3));
  OK(ABT_pool_pop_thread(pool, &popped[0]));
  CHECK(popped[0] == threads[2]);
  OK(ABT_pool_push_thread_ex(pool, popped[0], ABT_POOL_CONTEXT_PRIO_HIGH_PRIO));
  IS(ABT_ERR_POOL, ABT_pool_pop_wait_thread(pool, &popped[0], 0.0)); /* it has no such function */
}

static void run_all(ABT_pool pool) {
  for (;;) {
    ABT_unit unit;
    OK(ABT_pool_pop(pool, &unit));
    if (unit == ABT_UNIT_NULL) return;
    OK(ABT_xstream_run_unit(unit, pool));
  }
}

static void whole(void) {
  const ABT_pool pool = new_list(whole_def());
  atomic_int ran = 0;
  ABT_thread threads[3];
  CHECK(inits == 1);
  for (int i = 0; i < 3; ++i) threads[i] = start(pool, add_one, &ran);
  CHECK(made == 3);
  ask(pool);
  take_in_all_ways(pool, threads);
  run_all(pool);
  CHECK(atomic_load(&ran) == 3);
  for (int i = 0; i < 3; ++i) end(threads[i]);
  free_pool(pool);
  CHECK(frees == 1);
}

/* What is not there is said so, and does nothing. */
static void least(void) {
  const ABT_pool pool = new_list(least_def());
  atomic_int ran = 0;
  ABT_unit unit = ABT_UNIT_NULL;
  int count = 0;
  const ABT_thread thread = start(pool, add_one, &ran);
  OK(ABT_thread_get_unit(thread, &unit));
  IS(ABT_ERR_POOL, ABT_pool_remove(pool, unit));
  IS(ABT_ERR_POOL, ABT_pool_pop_timedwait(pool, &unit, ABT_get_wtime()));
  IS(ABT_ERR_POOL, ABT_pool_print_all(pool, &count, count_unit));
  IS(ABT_ERR_POOL, ABT_pool_print_all_threads(pool, &count, count_thread));
  IS(ABT_ERR_POOL, ABT_thread_yield_to(thread));
  CHECK(count == 0 && size_of(pool, false) == 1);
  run_all(pool);
  end(thread);
  free_pool(pool);
  CHECK(frees == 0 && atomic_load(&ran) == 1);
}

static void refused(void) {
  ABT_pool_def def = whole_def();
  ABT_pool pool = (ABT_pool)&def;
  def.p_init = refuse;
  IS(ABT_ERR_INV_ARG, ABT_pool_create(&def, ABT_POOL_CONFIG_NULL, &pool));
  CHECK(pool == ABT_POOL_NULL);
}

static int do_not_remove(ABT_pool pool, ABT_unit unit) {
  CHECK(pool != ABT_POOL_NULL && is_listed(unit) == ABT_TRUE);
  return ABT_ERR_INV_UNIT;
}

/* The caller that asked for its removal gets the code of the refusal. */
static void not_removed(void) {
  ABT_pool_def def = whole_def();
  def.p_remove = do_not_remove;
  const ABT_pool pool = new_list(def);
  atomic_int ran = 0;
  ABT_unit unit = ABT_UNIT_NULL;
  const ABT_thread thread = start(pool, add_one, &ran);
  OK(ABT_thread_get_unit(thread, &unit));
  IS(ABT_ERR_INV_UNIT, ABT_pool_remove(pool, unit));
  IS(ABT_ERR_INV_UNIT, ABT_thread_yield_to(thread));
  CHECK(atomic_load(&ran) == 0 && size_of(pool, false) == 1);
  CHECK(pop_first(pool) == unit);
  OK(ABT_thread_yield_to(thread)); /* it is not there, and the caller does not yield */
  CHECK(atomic_load(&ran) == 0);
  OK(ABT_xstream_run_unit(unit, pool));
  end(thread);
  free_pool(pool);
  CHECK(atomic_load(&ran) == 1);
}

/* ---- a stream's pool ---- */

/* Weft: a unit that ended there gives its ABT_unit back although the pool is gone. */
static void freed_before_its_unit(void) {
  if (!IS_WEFT) return;
  ABT_pool pool = new_list(whole_def());
  atomic_int ran = 0;
  ABT_thread thread = start(pool, add_one, &ran);
  run_all(pool);
  CHECK(atomic_load(&ran) == 1 && made == 1);
  OK(ABT_pool_free(&pool));
  OK(ABT_thread_free(&thread));
  CHECK(made == 0);
}

static void yield_and_suspend(void *argument) {
  for (int i = 0; i < 3; ++i) OK(ABT_self_yield());
  OK(ABT_self_suspend());
  add_one(argument);
}

static void run_marked(void *argument) { add_one(argument); }

/* The primary stream's scheduler serves it, so that one OS thread alone uses the list. */
static void served_by_a_scheduler(void) {
  ABT_pool pool = new_list(whole_def());
  ABT_xstream self;
  atomic_int ran = 0, marked = 0;
  OK(ABT_xstream_self(&self));
  OK(ABT_xstream_set_main_sched_basic(self, ABT_SCHED_BASIC, 1, &pool));
  CHECK(made == 1); /* the caller's */
  const ABT_thread thread = start(pool, yield_and_suspend, &ran);
  await_blocked(thread);
  CHECK(size_of(pool, true) == size_of(pool, false) + 1);
  OK(ABT_thread_resume(thread));
  const ABT_thread last = start(pool, run_marked, &marked);
  OK(ABT_thread_yield_to(last)); /* before the one that was resumed */
  CHECK(atomic_load(&marked) == 1);
  end(last);
  end(thread);
  CHECK(atomic_load(&ran) == 1);
  OK(ABT_thread_create(pool, add_one, &ran, ABT_THREAD_ATTR_NULL, NULL));
  OK(ABT_task_create(pool, add_one, &ran, NULL));
  wait_for(&ran, 3);
  OK(ABT_xstream_set_main_sched(self, ABT_SCHED_NULL));
  free_pool(pool);
}

void check_old_pools(void) {
  RUN(whole);
  RUN(least);
  RUN(refused);
  RUN(not_removed);
  RUN(freed_before_its_unit);
  RUN(served_by_a_scheduler);
}
