#include "check.h"

bool is_beside;
const char *current_case = "";

const char *code_name(int code) {
  static char name[64];
  return ABT_error_get_str(code, name, NULL) == ABT_SUCCESS ? name : "no code";
}

void breathe(void) {
  ABT_thread_yield();
  sched_yield();
}

void wait_for(atomic_int *value, int wanted) {
  while (atomic_load(value) != wanted) breathe();
}

ABT_pool pool_of(ABT_xstream stream) {
  ABT_pool pool = ABT_POOL_NULL;
  OK(ABT_xstream_get_main_pools(stream, 1, &pool));
  return pool;
}

ABT_pool my_pool(void) {
  ABT_xstream stream = ABT_XSTREAM_NULL;
  OK(ABT_xstream_self(&stream));
  return pool_of(stream);
}

struct outside_call {
  void (*body)(void *);
  void *argument;
  atomic_int is_done;
};

static void *run_call(void *argument) {
  struct outside_call *call = argument;
  call->body(call->argument);
  atomic_store(&call->is_done, 1);
  return NULL;
}

void run_outside(void (*body)(void *), void *argument) {
  struct outside_call call = {body, argument, 0};
  pthread_t thread;
  CHECK(pthread_create(&thread, NULL, run_call, &call) == 0);
  wait_for(&call.is_done, 1);
  CHECK(pthread_join(thread, NULL) == 0);
}

ABT_xstream start_stream(void) {
  ABT_xstream stream = ABT_XSTREAM_NULL;
  OK(ABT_xstream_create(ABT_SCHED_NULL, &stream));
  CHECK(stream != ABT_XSTREAM_NULL);
  return stream;
}

void end_stream(ABT_xstream stream) {
  OK(ABT_xstream_free(&stream));
  CHECK(stream == ABT_XSTREAM_NULL);
}

ABT_thread start(ABT_pool pool, void (*function)(void *), void *argument) {
  ABT_thread made = ABT_THREAD_NULL;
  OK(ABT_thread_create(pool, function, argument, ABT_THREAD_ATTR_NULL, &made));
  CHECK(made != ABT_THREAD_NULL);
  return made;
}

void end(ABT_thread thread) {
  OK(ABT_thread_free(&thread));
  CHECK(thread == ABT_THREAD_NULL);
}

ABT_pool new_pool(ABT_pool_kind kind) {
  ABT_pool pool = ABT_POOL_NULL;
  OK(ABT_pool_create_basic(kind, ABT_POOL_ACCESS_MPMC, ABT_FALSE, &pool));
  return pool;
}

bool run_next(ABT_pool pool) {
  ABT_thread popped;
  OK(ABT_pool_pop_thread(pool, &popped));
  if (popped == ABT_THREAD_NULL) return false;
  OK(ABT_self_schedule(popped, ABT_POOL_NULL));
  return true;
}

void run_what_is_there(ABT_pool pool) {
  while (run_next(pool)) continue;
}

void await_blocked(ABT_thread thread) {
  ABT_thread_state state = ABT_THREAD_STATE_READY;
  while (state != ABT_THREAD_STATE_BLOCKED) {
    breathe();
    OK(ABT_thread_get_state(thread, &state));
  }
}

void nothing(void *argument) { (void)argument; }
void add_one(void *argument) { atomic_fetch_add((atomic_int *)argument, 1); }

void yield_for_ever(void *argument) {
  add_one(argument);
  for (;;) OK(ABT_self_yield());
}

void suspend_for_ever(void *argument) {
  add_one(argument);
  for (;;) OK(ABT_self_suspend());
}

void be_cancelled(void) {
  ABT_thread self;
  OK(ABT_self_get_thread(&self));
  OK(ABT_thread_cancel(self));
}
