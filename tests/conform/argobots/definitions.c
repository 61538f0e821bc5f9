/* Pools and schedulers of the program's own, and configurations. */
#include "check.h"

#include <time.h>

/* ---- a pool by ABT_pool_user_def: a stack of units, whose names are its own records ---- */

enum { most = 128 };

struct record {
  ABT_thread thread;
  struct stack *in;
};

struct stack {
  struct record *records[most];
  int count;
  int made, freed;                  /* records */
  int inits, frees, waits, bundles; /* calls of what need not be given */
  ABT_pool_context pushed_with, popped_with;
  _Atomic(ABT_thread) popped_by;
  bool is_in_bundle; /* push_many pushes */
};

static struct stack *stack_of(ABT_pool pool) {
  void *data = NULL;
  OK(ABT_pool_get_data(pool, &data));
  return data;
}

static ABT_unit make_record(ABT_pool pool, ABT_thread thread) {
  struct record *const made = malloc(sizeof *made);
  *made = (struct record){thread, stack_of(pool)};
  made->in->made += 1;
  return (ABT_unit)made;
}

static void free_record(ABT_pool pool, ABT_unit unit) {
  stack_of(pool)->freed += 1;
  free(unit);
}

static ABT_bool has_none(ABT_pool pool) { return stack_of(pool)->count == 0; }

static ABT_thread pop_record(ABT_pool pool, ABT_pool_context context) {
  struct stack *const stack = stack_of(pool);
  ABT_thread self;
  OK(ABT_self_get_thread(&self));
  atomic_store(&stack->popped_by, self);
  stack->popped_with = context;
  return stack->count == 0 ? ABT_THREAD_NULL : stack->records[--stack->count]->thread;
}

static void push_record(ABT_pool pool, ABT_unit unit, ABT_pool_context context) {
  struct stack *const stack = stack_of(pool);
  ABT_xstream stream;
  int rank = -1;
  OK(ABT_xstream_self(&stream));
  OK(ABT_xstream_get_rank(stream, &rank));
  CHECK(rank == 0);
  if (IS_WEFT && !stack->is_in_bundle) IS(ABT_ERR_INV_XSTREAM, ABT_self_get_thread(&(ABT_thread){ABT_THREAD_NULL}));
  CHECK(stack->count < most && ((struct record *)unit)->in == stack);
  stack->pushed_with = context;
  stack->records[stack->count++] = (struct record *)unit;
}

static int init_stack(ABT_pool pool, ABT_pool_config config) {
  void *stack = NULL;
  OK(ABT_pool_config_get(config, 7, NULL, &stack));
  ((struct stack *)stack)->inits += 1;
  return ABT_pool_set_data(pool, stack);
}

static void free_stack(ABT_pool pool) { stack_of(pool)->frees += 1; }

static size_t size_of_stack(ABT_pool pool) { return (size_t)stack_of(pool)->count; }

static ABT_thread wait_and_pop(ABT_pool pool, double seconds, ABT_pool_context context) {
  CHECK(seconds >= 0);
  stack_of(pool)->waits += 1;
  return pop_record(pool, context);
}

static void pop_some(ABT_pool pool, ABT_thread *threads, size_t room, size_t *count, ABT_pool_context context) {
  stack_of(pool)->bundles += 1;
  for (*count = 0; *count < room && stack_of(pool)->count != 0; ++*count) threads[*count] = pop_record(pool, context);
}

static void push_some(ABT_pool pool, const ABT_unit *units, size_t count, ABT_pool_context context) {
  stack_of(pool)->bundles += 1;
  stack_of(pool)->is_in_bundle = true;
  for (size_t i = 0; i < count; ++i) push_record(pool, units[i], context);
  stack_of(pool)->is_in_bundle = false;
}

static void print_records(ABT_pool pool, void *argument, void (*print)(void *argument, ABT_thread thread)) {
  struct stack *const stack = stack_of(pool);
  for (int i = 0; i < stack->count; ++i) print(argument, stack->records[i]->thread);
}

static ABT_pool make_stack(struct stack *stack) {
  ABT_pool_user_def def;
  ABT_pool_config config;
  ABT_pool pool = ABT_POOL_NULL;
  OK(ABT_pool_user_def_create(make_record, free_record, has_none, pop_record, push_record, &def));
  OK(ABT_pool_user_def_set_init(def, init_stack));
  OK(ABT_pool_user_def_set_free(def, free_stack));
  OK(ABT_pool_user_def_set_get_size(def, size_of_stack));
  OK(ABT_pool_user_def_set_pop_wait(def, wait_and_pop));
  OK(ABT_pool_user_def_set_pop_many(def, pop_some));
  OK(ABT_pool_user_def_set_push_many(def, push_some));
  OK(ABT_pool_user_def_set_print_all(def, print_records));
  OK(ABT_pool_config_create(&config));
  OK(ABT_pool_config_set(config, 7, ABT_POOL_CONFIG_PTR, &(void *){stack}));
  OK(ABT_pool_config_set(config, ABT_pool_config_automatic.key, ABT_pool_config_automatic.type, &(int){ABT_FALSE}));
  OK(ABT_pool_create(def, config, &pool));
  OK(ABT_pool_user_def_free(&def));
  OK(ABT_pool_config_free(&config));
  CHECK(stack->inits == 1);
  return pool;
}

static void count_thread(void *argument, ABT_thread thread) {
  CHECK(thread != ABT_THREAD_NULL);
  *(int *)argument += 1;
}

static void ways_in_and_out(ABT_pool pool) {
  const ABT_pool_context urgent = ABT_POOL_CONTEXT_PRIO_HIGH_PRIO | ABT_POOL_CONTEXT_OWNER_SECONDARY;
  ABT_thread popped[3], one;
  size_t count = 9;
  int printed = 0;
  OK(ABT_pool_print_all_threads(pool, &printed, count_thread));
  CHECK(printed == 3);
  OK(ABT_pool_pop_threads(pool, popped, 2, &count));
  CHECK(count == 2);
  OK(ABT_pool_pop_threads_ex(pool, popped + 2, 1, &count, urgent));
  CHECK(count == 1);
  OK(ABT_pool_pop_thread(pool, &one));
  CHECK(one == ABT_THREAD_NULL);
  OK(ABT_pool_push_threads(pool, popped, 1));
  OK(ABT_pool_push_threads_ex(pool, popped + 1, 2, urgent));
  OK(ABT_pool_pop_thread_ex(pool, &one, urgent));
  CHECK(one == popped[2]);
  OK(ABT_pool_push_thread_ex(pool, one, urgent));
  OK(ABT_pool_pop_wait_thread(pool, &one, 0.0));
  CHECK(one == popped[2]);
  OK(ABT_pool_push_thread(pool, one));
  OK(ABT_pool_pop_wait_thread_ex(pool, &one, 0.0, urgent));
  CHECK(one == popped[2]);
  OK(ABT_pool_push_thread_ex(pool, one, urgent));
}

static void waits_for_units(ABT_pool pool) {
  ABT_unit unit = ABT_UNIT_NULL;
  ABT_thread popped, wanted;
  OK(ABT_pool_pop(pool, &unit));
  OK(ABT_unit_get_thread(unit, &wanted));
  OK(ABT_pool_push(pool, unit));
  OK(ABT_pool_pop_wait(pool, &unit, 0.0));
  OK(ABT_unit_get_thread(unit, &popped));
  CHECK(popped == wanted);
  OK(ABT_pool_push(pool, unit));
}

static void user_pools(void) {
  struct stack stack = {.count = 0};
  const ABT_pool pool = make_stack(&stack);
  atomic_int ran = 0;
  ABT_thread threads[3];
  for (int i = 0; i < 3; ++i) threads[i] = start(pool, add_one, &ran);
  CHECK(stack.made == 3 && stack.pushed_with == ABT_POOL_CONTEXT_OP_THREAD_CREATE);
  ways_in_and_out(pool);
  CHECK(stack.waits == 2 && stack.bundles == 4);
  CHECK((stack.pushed_with & ABT_POOL_CONTEXT_PRIO_HIGH_PRIO) != 0 &&
        (stack.popped_with & ABT_POOL_CONTEXT_OWNER_SECONDARY) != 0);
  waits_for_units(pool);
  run_what_is_there(pool);
  CHECK(ran == 3);
  for (int i = 0; i < 3; ++i) end(threads[i]);
  CHECK(stack.freed == 3);
  OK(ABT_pool_free(&(ABT_pool){pool}));
  CHECK(stack.frees == 1);
}

/* However many there are, push_many is called once for all. */
static void large_bundles(void) {
  struct stack stack = {.count = 0};
  ABT_pool pool = make_stack(&stack);
  atomic_int ran = 0;
  ABT_thread threads[100];
  size_t count = 0;
  for (int i = 0; i < 100; ++i) start(pool, add_one, &ran);
  OK(ABT_pool_pop_threads(pool, threads, 100, &count));
  CHECK(count == 100);
  const ABT_thread left_out = threads[50];
  threads[50] = ABT_THREAD_NULL;
  OK(ABT_pool_push_threads(pool, threads, 100));
  CHECK(stack.bundles == 2 && stack.count == 99);
  OK(ABT_pool_push_thread(pool, left_out));
  run_what_is_there(pool);
  for (int i = 0; i < 100; ++i) end(i == 50 ? left_out : threads[i]);
  CHECK(ran == 100);
  OK(ABT_pool_free(&pool));
}

/* Cancelled while it has nothing to do, it ends, and its stream with it. */
static void cancelled_main_scheduler(void) {
  struct stack stack = {.count = 0};
  ABT_pool pool = make_stack(&stack);
  ABT_xstream stream;
  OK(ABT_xstream_create_basic(ABT_SCHED_BASIC, 1, &pool, ABT_SCHED_CONFIG_NULL, &stream));
  while (atomic_load(&stack.popped_by) == ABT_THREAD_NULL) breathe();
  nanosleep(&(struct timespec){0, 20000000}, NULL); /* it sleeps, mostly */
  OK(ABT_thread_cancel(atomic_load(&stack.popped_by)));
  ABT_xstream_state state = ABT_XSTREAM_STATE_RUNNING;
  while (state != ABT_XSTREAM_STATE_TERMINATED) {
    breathe();
    OK(ABT_xstream_get_state(stream, &state));
  }
  end_stream(stream);
  OK(ABT_pool_free(&pool));
}

/* ABT_pool_pop_timedwait, which is deprecated, takes a point in time. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
static void waits_until(void) {
  ABT_pool pool;
  ABT_unit unit;
  OK(ABT_pool_create_basic(ABT_POOL_FIFO_WAIT, ABT_POOL_ACCESS_MPMC, ABT_FALSE, &pool));
  const double until = ABT_get_wtime() + 0.005;
  OK(ABT_pool_pop_timedwait(pool, &unit, until));
  CHECK(unit == ABT_UNIT_NULL && ABT_get_wtime() >= until - 0.001);
  OK(ABT_pool_free(&pool));
}
#pragma GCC diagnostic pop

/* ---- a scheduler ---- */

struct own_scheduler {
  atomic_int inits, runs, frees;
  int number;
  double factor;
};

static int init_own(ABT_sched sched, ABT_sched_config config) {
  void *own = NULL;
  int number = 0;
  double factor = 0;
  OK(ABT_sched_config_read(config, 3, &number, &factor, &own));
  CHECK(number == 5 && factor == 2.5);
  atomic_fetch_add(&((struct own_scheduler *)own)->inits, 1);
  return ABT_sched_set_data(sched, own);
}

static void run_own(ABT_sched sched) {
  ABT_pool pool;
  void *own;
  OK(ABT_sched_get_pools(sched, 1, 0, &pool));
  OK(ABT_sched_get_data(sched, &own));
  atomic_fetch_add(&((struct own_scheduler *)own)->runs, 1);
  for (ABT_bool stop = ABT_FALSE; stop == ABT_FALSE;) {
    run_what_is_there(pool);
    OK(ABT_sched_has_to_stop(sched, &stop));
    OK(ABT_xstream_check_events(sched));
  }
}

static int free_own(ABT_sched sched) {
  void *own;
  OK(ABT_sched_get_data(sched, &own));
  atomic_fetch_add(&((struct own_scheduler *)own)->frees, 1);
  return ABT_SUCCESS;
}

static void user_schedulers(void) {
  struct own_scheduler own = {.number = 5, .factor = 2.5};
  ABT_sched_def def = {ABT_SCHED_TYPE_ULT, init_own, run_own, free_own, NULL};
  const ABT_sched_config_var number = {0, ABT_SCHED_CONFIG_INT}, factor = {1, ABT_SCHED_CONFIG_DOUBLE},
                             pointer = {2, ABT_SCHED_CONFIG_PTR};
  ABT_sched_config config;
  ABT_sched sched;
  ABT_xstream stream;
  OK(ABT_sched_config_create(&config, number, own.number, factor, own.factor, pointer, (void *)&own, ABT_sched_config_automatic,
                             1, ABT_sched_config_var_end));
  OK(ABT_sched_create(&def, 1, &(ABT_pool){ABT_POOL_NULL}, config, &sched));
  OK(ABT_sched_config_free(&config));
  CHECK(own.inits == 1);
  OK(ABT_xstream_create(sched, &stream));
  atomic_int ran = 0;
  ABT_task task;
  OK(ABT_task_create_on_xstream(stream, add_one, &ran, &task));
  OK(ABT_task_free(&task));
  end_stream(stream);
  CHECK(ran == 1 && own.runs == 1 && own.frees == 1);
}

static void scheduler_configs(void) {
  ABT_sched_config config;
  ABT_sched_config_type type;
  int number = 0;
  OK(ABT_sched_config_create(&config, ABT_sched_basic_freq, 7, ABT_sched_config_access, (int)ABT_POOL_ACCESS_MPMC,
                             ABT_sched_config_var_end));
  OK(ABT_sched_config_get(config, ABT_sched_basic_freq.idx, &type, &number));
  CHECK(type == ABT_SCHED_CONFIG_INT && number == 7);
  OK(ABT_sched_config_set(config, 3, ABT_SCHED_CONFIG_DOUBLE, &(double){0.5}));
  double half = 0;
  OK(ABT_sched_config_get(config, 3, &type, &half));
  CHECK(type == ABT_SCHED_CONFIG_DOUBLE && half == 0.5);
  OK(ABT_sched_config_set(config, 3, ABT_SCHED_CONFIG_DOUBLE, NULL));
  IS(ABT_ERR_INV_ARG, ABT_sched_config_get(config, 3, NULL, NULL));
  OK(ABT_sched_config_free(&config));
}

void check_definitions(void) {
  RUN(user_pools);
  RUN(large_bundles);
  RUN(cancelled_main_scheduler);
  RUN(waits_until);
  RUN(user_schedulers);
  RUN(scheduler_configs);
}
