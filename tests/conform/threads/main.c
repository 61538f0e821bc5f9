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
}

int main(int count, char **arguments) {
  if (count != 3) return 2;
  implementation = arguments[1];
  is_outside = strcmp(arguments[2], "outside") == 0;
  check_life();
  for (int counts = 0; counts < 2; ++counts) {
    start_with(counts != 0);
    run_all();
    OK(threads_stop());
  }
  return 0;
}
