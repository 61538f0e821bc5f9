/* usage: conform_argobots_... FAMILY. The promises of abt.h that Argobots' own tests leave out. */
#include "check.h"

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

int main(int count, char **arguments) {
  for (size_t i = 0; count == 2 && i < sizeof(families) / sizeof(families[0]); ++i) {
    if (strcmp(arguments[1], families[i].name) != 0) continue;
    run_family(&families[i]);
    return 0;
  }
  fprintf(stderr, "usage: %s FAMILY\n", arguments[0]);
  return 2;
}
