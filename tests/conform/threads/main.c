/* usage: conform_threads... IMPLEMENTATION adopted|outside. The promises of threads.h, kept by whichever implementation runs. */
#include "check.h"

const char *implementation = "";
const char *current_case = "";
bool is_outside;

static void start_with(bool counts) {
  threads_config config = THREADS_CONFIG_INIT;
  config.workers = workers;
  config.caller_outside = is_outside;
  config.counts = counts;
  OK(threads_start(&config));
}

static void run_all(void) {
  check_threads();
  check_lists();
  check_mutexes();
  check_syncs();
  check_keys();
  check_queries();
  check_libraries();
  check_progress();
}

static void run_without_an_implementation(void) {
  check_libraries();
  check_progress();
}

int main(int count, char **arguments) {
  if (count != 3) return 2;
  implementation = arguments[1];
  is_outside = strcmp(arguments[2], "outside") == 0;
  check_life();
  run_without_an_implementation();
  for (int counts = 0; counts < 2; ++counts) {
    take_a_lock_before_the_start();
    start_with(counts != 0);
    check_that_this_is_still_main();
    check_a_lock_over_the_start();
    run_all();
    OK(threads_stop());
    check_that_this_is_still_main();
  }
  run_without_an_implementation();
  return 0;
}
