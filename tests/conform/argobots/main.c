/* usage: conform_argobots_... FAMILY [beside]. The promises of abt.h that Argobots' own tests leave
 * out. beside: main runs a runtime of two workers by weft_init, and another OS thread is the caller
 * of ABT_init, as in a program that has an MPI started by a thread of its own. */
#include "check.h"

#if IS_WEFT
#include <weft/weft.h>
#endif

static const struct family {
  const char *name;
  void (*check)(void);
  bool has_runtime;
} families[] = {
    {"statics", check_statics, false},
    {"life", check_life, false},
    {"primary", check_primary, false},
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
    {"main_scheds", check_main_scheds, true},
    {"old_pools", check_old_pools, true},
    {"handing_over", check_handing_over, true},
    {"exits", check_exits, true},
    {"guards", check_guards, true},
    {"tool_waits", check_tool_waits, true},
    {"standing", check_standing, true}, /* these four do not end well: no tests by themselves */
    {"standing_tasklet", check_standing_tasklet, true},
    {"standing_barrier", check_standing_barrier, true},
    {"too_deep", check_too_deep, true},
    {"switching", check_switching, true},
    {"pools", check_pools, true},
    {"freed_pools", check_freed_pools, true},
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

#if IS_WEFT
static void *run_family_of(void *one) {
  run_family(one);
  return NULL;
}

static void run_family_beside(const struct family *one) {
  weft_config config = WEFT_CONFIG_INIT;
  pthread_t thread;
  config.workers = 2;
  CHECK(weft_init(&config) == WEFT_OK);
  CHECK(pthread_create(&thread, NULL, run_family_of, (void *)one) == 0 && pthread_join(thread, NULL) == 0);
  CHECK(weft_worker_count() == 2);
  CHECK(weft_finalize() == WEFT_OK);
}
#else
static void run_family_beside(const struct family *one) { run_family(one); }
#endif

int main(int count, char **arguments) {
  is_beside = count == 3 && strcmp(arguments[2], "beside") == 0;
  for (size_t i = 0; (count == 2 || is_beside) && i < sizeof(families) / sizeof(families[0]); ++i) {
    if (strcmp(arguments[1], families[i].name) != 0) continue;
    (is_beside ? run_family_beside : run_family)(&families[i]);
    return 0;
  }
  fprintf(stderr, "usage: %s FAMILY [beside]\n", arguments[0]);
  return 2;
}
