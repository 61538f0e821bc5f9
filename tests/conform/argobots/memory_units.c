/* Memory runs out for units, their values and what they wait at. */
#include "memory.h"

/* ---- units ---- */

static void note_migration(ABT_thread thread, void *argument) {
  (void)thread;
  add_one(argument);
}

static void with_attributes(void) {
  static atomic_int moved;
  ABT_thread_attr attr, again;
  ABT_thread thread = ABT_THREAD_NULL;
  if (!GOT(ABT_thread_attr_create(&attr))) return;
  OK(ABT_thread_attr_set_stacksize(attr, 100000));
  OK(ABT_thread_attr_set_callback(attr, note_migration, &moved));
  if (GOT(ABT_thread_create(my_pool(), nothing, NULL, attr, &thread))) {
    if (GOT(ABT_thread_get_attr(thread, &again))) OK(ABT_thread_attr_free(&again));
    end(thread);
  } else {
    CHECK(thread == ABT_THREAD_NULL);
  }
  OK(ABT_thread_attr_free(&attr));
}

static void revive_and_migrate(void) {
  ABT_thread thread;
  ABT_pool pool;
  if (!GOT(ABT_pool_create_basic(ABT_POOL_FIFO, ABT_POOL_ACCESS_MPMC, ABT_FALSE, &pool))) return;
  if (GOT(ABT_thread_create(my_pool(), nothing, NULL, ABT_THREAD_ATTR_NULL, &thread))) {
    if (GOT(ABT_thread_migrate_to_pool(thread, pool))) {
      OK(ABT_thread_yield());
      run_what_is_there(pool);
    }
    OK(ABT_thread_join(thread));
    GOT(ABT_thread_revive(my_pool(), nothing, NULL, &thread));
    OK(ABT_thread_join(thread));
    GOT(ABT_thread_revive_to(my_pool(), nothing, NULL, &thread));
    GOT(ABT_thread_set_callback(thread, note_migration, NULL));
    end(thread);
  }
  OK(ABT_pool_free(&pool));
}

void lack_memory_for_units(void) {
  enum { count = 40 }; /* more than one slab of records has */
  static atomic_int ran;
  ABT_thread threads[count];
  ABT_task task;
  int made = 0;
  atomic_store(&ran, 0);
  for (int i = 0; i < count; ++i) made += GOT(ABT_thread_create(my_pool(), add_one, &ran, ABT_THREAD_ATTR_NULL, &threads[i]));
  for (int i = 0; i < count; ++i) {
    if (threads[i] != ABT_THREAD_NULL) end(threads[i]);
  }
  CHECK(atomic_load(&ran) == made);
  if (GOT(ABT_task_create(my_pool(), add_one, &ran, &task))) OK(ABT_task_free(&task));
  made = GOT(ABT_thread_create(my_pool(), add_one, &ran, ABT_THREAD_ATTR_NULL, NULL));
  made += GOT(ABT_task_create(my_pool(), add_one, &ran, NULL));
  if (GOT(ABT_thread_create_to(my_pool(), nothing, NULL, ABT_THREAD_ATTR_NULL, &threads[0]))) end(threads[0]);
  OK(ABT_thread_yield());
  with_attributes();
  revive_and_migrate();
}

/* ---- values ---- */

static void set_values(void *argument) {
  ABT_key *const keys = argument;
  for (int i = 0; i < 12; ++i) {
    void *value = NULL;
    const bool is_set = keys[i] != ABT_KEY_NULL && GOT(ABT_key_set(keys[i], &keys[i]));
    if (keys[i] != ABT_KEY_NULL) OK(ABT_key_get(keys[i], &value));
    CHECK(value == (is_set ? &keys[i] : NULL));
  }
}

void lack_memory_for_values(void) {
  ABT_key keys[12];
  ABT_thread thread;
  for (int i = 0; i < 12; ++i) {
    if (!GOT(ABT_key_create(NULL, &keys[i]))) keys[i] = ABT_KEY_NULL;
  }
  if (GOT(ABT_thread_create(my_pool(), set_values, keys, ABT_THREAD_ATTR_NULL, &thread))) {
    if (keys[0] != ABT_KEY_NULL) GOT(ABT_thread_set_specific(thread, keys[0], NULL));
    end(thread);
  }
  for (int i = 0; i < 12; ++i) {
    if (keys[i] != ABT_KEY_NULL) OK(ABT_key_free(&keys[i]));
  }
}

/* ---- objects at which units wait, and timers ---- */

void lack_memory_for_locks(void) {
  ABT_mutex mutex, another;
  ABT_mutex_attr attr, copy;
  ABT_cond cond;
  ABT_rwlock rwlock;
  if (GOT(ABT_mutex_create(&mutex))) {
    if (GOT(ABT_mutex_get_attr(mutex, &copy))) OK(ABT_mutex_attr_free(&copy));
    OK(ABT_mutex_free(&mutex));
  }
  if (GOT(ABT_mutex_attr_create(&attr))) {
    OK(ABT_mutex_attr_set_recursive(attr, ABT_TRUE));
    if (GOT(ABT_mutex_create_with_attr(attr, &another))) OK(ABT_mutex_free(&another));
    OK(ABT_mutex_attr_free(&attr));
  }
  if (GOT(ABT_cond_create(&cond))) OK(ABT_cond_free(&cond));
  if (GOT(ABT_rwlock_create(&rwlock))) OK(ABT_rwlock_free(&rwlock));
}

void lack_memory_for_events(void) {
  ABT_eventual eventual;
  ABT_future future;
  ABT_barrier barrier;
  ABT_xstream_barrier streams_barrier;
  ABT_timer timer, copy;
  if (GOT(ABT_eventual_create(100, &eventual))) OK(ABT_eventual_free(&eventual));
  if (GOT(ABT_future_create(100, NULL, &future))) OK(ABT_future_free(&future));
  if (GOT(ABT_barrier_create(2, &barrier))) OK(ABT_barrier_free(&barrier));
  if (GOT(ABT_xstream_barrier_create(2, &streams_barrier))) OK(ABT_xstream_barrier_free(&streams_barrier));
  if (!GOT(ABT_timer_create(&timer))) return;
  if (GOT(ABT_timer_dup(timer, &copy))) OK(ABT_timer_free(&copy));
  OK(ABT_timer_free(&timer));
}

/* ---- tools, dumps, CPUs ---- */

static void count_event(ABT_thread thread, ABT_xstream stream, uint64_t event, ABT_tool_context context, void *argument) {
  (void)thread, (void)stream, (void)event, (void)context;
  add_one(argument);
}

void lack_memory_for_information(void) {
  atomic_int told = 0;
  ABT_thread thread;
  ABT_xstream stream;
  int cpus[64], count = 0;
  GOT(ABT_tool_register_thread_callback(count_event, ABT_TOOL_EVENT_THREAD_ALL, &told));
  if (GOT(ABT_thread_create(my_pool(), nothing, NULL, ABT_THREAD_ATTR_NULL, &thread))) end(thread);
  OK(ABT_tool_register_thread_callback(NULL, ABT_TOOL_EVENT_THREAD_NONE, NULL));
  OK(ABT_xstream_self(&stream));
  if (GOT(ABT_xstream_get_affinity(stream, 64, cpus, &count)) && count <= 64) GOT(ABT_xstream_set_affinity(stream, count, cpus));
}
