/* usage: conform_argobots_... FAMILY. The promises of abt.h that Argobots' own tests leave out. */
#include "check.h"

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

void await_blocked(ABT_thread thread) {
  ABT_thread_state state = ABT_THREAD_STATE_READY;
  while (state != ABT_THREAD_STATE_BLOCKED) {
    breathe();
    OK(ABT_thread_get_state(thread, &state));
  }
}

void nothing(void *argument) { (void)argument; }
void add_one(void *argument) { atomic_fetch_add((atomic_int *)argument, 1); }

static const struct family {
  const char *name;
  void (*check)(void);
  bool has_runtime;
} families[] = {
    {"statics", check_statics, false},
    {"life", check_life, false},
    {"misuse", check_misuse, true},
    {"keys", check_keys, true},
    {"locks", check_locks, true},
    {"waits", check_waits, true},
    {"threads", check_threads, true},
    {"migration", check_migration, true},
    {"streams", check_streams, true},
    {"definitions", check_definitions, true},
    {"information", check_information, true},
    {"mixed", check_mixed, true},
    {"tools", check_tools, true},
    {"tool_waits", check_tool_waits, true},
    {"switching", check_switching, true},
    {"pools", check_pools, true},
    {"printing", check_printing, true},
};

static void run_family(const struct family *one) {
  if (!one->has_runtime) {
    one->check();
    return;
  }
  OK(ABT_init(0, NULL));
  one->check();
  current_case = "finalize";
  OK(ABT_finalize());
}

int main(int count, char **arguments) {
  for (size_t i = 0; count == 2 && i < sizeof(families) / sizeof(families[0]); ++i) {
    if (strcmp(arguments[1], families[i].name) != 0) continue;
    run_family(&families[i]);
    return 0;
  }
  fprintf(stderr, "usage: %s FAMILY\n", arguments[0]);
  return 2;
}
