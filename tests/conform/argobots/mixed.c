/* Threads that weft.h makes, in a program that uses abt.h too: for abt.h they are OS threads
 * outside. */
#include "check.h"

#if IS_WEFT
#include <sched.h>

#include <weft/ext.h>

#define WEFT_OK_IS(call) CHECK((call) == WEFT_OK)

enum { count = 32 };

static ABT_key key;
static ABT_mutex mutex;
static ABT_eventual arrived, eventual;
static int guarded;

static void be_outside(void *argument) {
  ABT_thread self = ABT_THREAD_NULL;
  ABT_xstream stream = ABT_XSTREAM_NULL;
  ABT_unit_type type = ABT_UNIT_TYPE_THREAD;
  void *value = NULL;
  IS(ABT_ERR_INV_XSTREAM, ABT_thread_self(&self));
  IS(ABT_ERR_INV_XSTREAM, ABT_self_get_thread(&self));
  IS(ABT_ERR_INV_XSTREAM, ABT_xstream_self(&stream));
  IS(ABT_ERR_INV_XSTREAM, ABT_self_get_type(&type));
  CHECK(type == ABT_UNIT_TYPE_EXT && self == ABT_THREAD_NULL && stream == ABT_XSTREAM_NULL);
  IS(ABT_ERR_INV_XSTREAM, ABT_key_set(key, &key));
  IS(ABT_ERR_INV_XSTREAM, ABT_key_get(key, &value));
  IS(ABT_ERR_INV_XSTREAM, ABT_self_yield());
  IS(ABT_ERR_INV_XSTREAM, ABT_self_suspend());
  IS(ABT_ERR_INV_XSTREAM, ABT_thread_exit());
  IS(ABT_ERR_INV_XSTREAM, ABT_xstream_exit());
  IS(ABT_ERR_INV_XSTREAM, ABT_finalize());
  OK(ABT_thread_yield());
  add_one(argument);
}

static void use_objects(void *argument) {
  be_outside(argument);
  OK(ABT_mutex_lock(mutex));
  const int before = guarded;
  OK(ABT_thread_yield());
  guarded = before + 1;
  OK(ABT_mutex_unlock(mutex));
  if (before + 1 == count) OK(ABT_eventual_set(arrived, NULL, 0));
  OK(ABT_eventual_wait(eventual, NULL));
  add_one(argument);
}

static void make_units(void *argument) {
  const ABT_pool pool = *(ABT_pool *)argument;
  atomic_int ran = 0;
  ABT_thread thread = start(pool, add_one, &ran);
  OK(ABT_thread_join(thread));
  OK(ABT_thread_revive(pool, add_one, &ran, &thread));
  end(thread);
  ABT_task task;
  OK(ABT_task_create(pool, add_one, &ran, &task));
  OK(ABT_task_free(&task));
  CHECK(atomic_load(&ran) == 3);
}

static void set_value(void *argument) {
  OK(ABT_key_set(key, argument));
  OK(ABT_thread_yield());
}

/* What was a work unit may be one of Weft's threads afterwards. */
static void leave_used_records(void) {
  ABT_thread threads[count];
  for (int i = 0; i < count; ++i) threads[i] = start(my_pool(), set_value, &threads[i]);
  for (int i = 0; i < count; ++i) OK(ABT_thread_cancel(threads[i]));
  for (int i = 0; i < count; ++i) end(threads[i]);
  for (int i = 0; i < count; ++i) threads[i] = start(my_pool(), set_value, &threads[i]);
  for (int i = 0; i < count; ++i) end(threads[i]);
}

static void use_abt_in_threads(void) {
  atomic_int done = 0;
  weft_thread *threads[count], *tasklet;
  OK(ABT_eventual_create(0, &eventual));
  OK(ABT_eventual_create(0, &arrived));
  for (int i = 0; i < count; ++i) WEFT_OK_IS(weft_thread_create(use_objects, &done, NULL, &threads[i]));
  OK(ABT_eventual_wait(arrived, NULL));
  OK(ABT_eventual_set(eventual, NULL, 0));
  for (int i = 0; i < count; ++i) WEFT_OK_IS(weft_thread_join(threads[i]));
  CHECK(guarded == count && atomic_load(&done) == 2 * count);
  guarded = 0;
  OK(ABT_eventual_free(&arrived));
  OK(ABT_eventual_free(&eventual));
  WEFT_OK_IS(weft_tasklet_create(be_outside, &done, NULL, &tasklet));
  WEFT_OK_IS(weft_thread_join(tasklet));
  ABT_pool pool = my_pool();
  WEFT_OK_IS(weft_thread_create(make_units, &pool, NULL, &threads[0]));
  WEFT_OK_IS(weft_thread_join(threads[0]));
}

static void threads_of_weft(void) {
  OK(ABT_key_create(NULL, &key));
  OK(ABT_mutex_create(&mutex));
  use_abt_in_threads();
  leave_used_records();
  use_abt_in_threads();
  OK(ABT_mutex_free(&mutex));
  OK(ABT_key_free(&key));
}

/* They have their turn also while units yield all the time. */
static void turns(void) {
  atomic_int ran = 0;
  weft_thread *thread;
  WEFT_OK_IS(weft_thread_create(add_one, &ran, NULL, &thread));
  while (atomic_load(&ran) == 0) OK(ABT_thread_yield());
  WEFT_OK_IS(weft_thread_join(thread));
}

static void note_unit(ABT_thread thread, ABT_xstream stream, uint64_t event, ABT_tool_context context, void *argument) {
  (void)stream, (void)event, (void)context;
  ABT_unit unit = ABT_UNIT_NULL;
  OK(ABT_thread_get_unit(thread, &unit));
  CHECK(event == ABT_TOOL_EVENT_THREAD_FREE || unit != ABT_UNIT_NULL);
  add_one(argument);
}

/* Tools hear of units alone. */
static void unheard_by_tools(void) {
  atomic_int told = 0;
  OK(ABT_tool_register_thread_callback(note_unit, ABT_TOOL_EVENT_THREAD_ALL, &told));
  threads_of_weft();
  OK(ABT_tool_register_thread_callback(NULL, ABT_TOOL_EVENT_THREAD_NONE, NULL));
  CHECK(atomic_load(&told) > count);
}

/* The primary ULT, which goes on right after a unit that ends, stands on its OS thread's stack
 * all the time: not on one of Weft's. Which stack main's OS thread has, Weft does not say. */
static void own_stack_of_the_primary(void) {
  ABT_bool is_primary = ABT_FALSE;
  OK(ABT_self_is_primary(&is_primary));
  if (!is_primary) return;
  void *os_stack = &os_stack;
  weft_ext_thread_stack(weft_self(), &os_stack, NULL);
  CHECK(os_stack == NULL || is_beside);
  for (int i = 0; i < count; ++i) {
    atomic_int runs = 0;
    ABT_thread thread = start(my_pool(), add_one, &runs);
    wait_for(&runs, 1);
    void *base = &base;
    weft_ext_thread_stack(weft_self(), &base, NULL);
    CHECK(base == os_stack);
    end(thread);
  }
}

/* ---- units that weft_pin ties to a stream, in a pool of two ---- */

static atomic_int workers[2], met;

static void note_worker(void *argument) {
  atomic_store((atomic_int *)argument, weft_worker_self());
  atomic_fetch_add(&met, 1);
  while (atomic_load(&met) < 2) sched_yield(); /* not ABT_thread_yield: the other one runs on the other stream */
}

static void stay_where_pinned(void *argument) {
  const int worker = atomic_load((atomic_int *)argument);
  WEFT_OK_IS(weft_pin(worker));
  ABT_xstream stream = ABT_XSTREAM_NULL, now = ABT_XSTREAM_NULL;
  OK(ABT_xstream_self(&stream));
  for (int i = 0; i < count; ++i) {
    CHECK(weft_worker_self() == worker);
    OK(ABT_xstream_self(&now));
    CHECK(now == stream);
    OK(ABT_thread_yield());
  }
}

static void pinned_to_one_stream_of_a_pool(void) {
  ABT_pool pool;
  ABT_xstream streams[2];
  ABT_thread threads[count];
  OK(ABT_pool_create_basic(ABT_POOL_FIFO, ABT_POOL_ACCESS_MPMC, ABT_TRUE, &pool));
  for (int i = 0; i < 2; ++i) OK(ABT_xstream_create_basic(ABT_SCHED_DEFAULT, 1, &pool, ABT_SCHED_CONFIG_NULL, &streams[i]));
  atomic_store(&met, 0);
  for (int i = 0; i < 2; ++i) threads[i] = start(pool, note_worker, &workers[i]);
  for (int i = 0; i < 2; ++i) end(threads[i]);
  for (int i = 0; i < count; ++i) threads[i] = start(pool, stay_where_pinned, &workers[i % 2]);
  for (int i = 0; i < count; ++i) end(threads[i]);
  for (int i = 0; i < 2; ++i) end_stream(streams[i]);
}

void check_mixed(void) {
  RUN(own_stack_of_the_primary);
  RUN(threads_of_weft);
  RUN(turns);
  RUN(unheard_by_tools);
  RUN(pinned_to_one_stream_of_a_pool);
}
#else
void check_mixed(void) {}
#endif
