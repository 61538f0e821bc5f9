/* usage: conform_argobots_memory [FAMILY ...], all of them without. Every request for memory fails in turn, while the program makes and
 * uses what the family has: each call succeeds or answers ABT_ERR_MEM, nothing is lost, and the same works afterwards. */
#include "memory.h"

/* ---- the driver ---- */

static int injected;

static bool is_reached(int nth, void (*body)(void)) {
  fail_request(nth);
  body();
  const bool was_reached = has_failed();
  fail_request(0);
  injected += was_reached;
  return was_reached;
}

/* The same failure twice: what is kept once, as caches are, is not kept again. False: there are not that many requests. */
static bool survives_failure_of(int nth, void (*body)(void)) {
  if (!is_reached(nth, body)) return false;
  body();
  const long before = live_blocks();
  (void)is_reached(nth, body);
  body();
  if (live_blocks() > before) fprintf(stderr, "[%s] request %d: %ld blocks more\n", current_case, nth, live_blocks() - before);
  CHECK(live_blocks() <= before);
  return true;
}

static void fail_each_in_turn(void (*body)(void)) {
  enum { most_requests = 2000 };
  int nth = 1;
  while (nth < most_requests && survives_failure_of(nth, body)) ++nth;
  CHECK(nth < most_requests); /* or it asks for memory without end */
}

static const struct family {
  const char *name;
  void (*body)(void);
  bool has_runtime;
} families[] = {
    {"start_and_end", lack_memory_for_start_and_end, false},
    {"many_blocked", lack_memory_for_many_blocked, false},
    {"streams", lack_memory_for_streams, true},
    {"schedulers", lack_memory_for_schedulers, true},
    {"configurations", lack_memory_for_configurations, true},
    {"pools", lack_memory_for_pools, true},
    {"units", lack_memory_for_units, true},
    {"values", lack_memory_for_values, true},
    {"locks", lack_memory_for_locks, true},
    {"events", lack_memory_for_events, true},
    {"information", lack_memory_for_information, true},
};

static void check_family(const struct family *one) {
  const int before = injected;
  current_case = one->name;
  if (one->has_runtime) OK(ABT_init(0, NULL));
  fail_each_in_turn(one->body);
  if (one->has_runtime) OK(ABT_finalize());
  printf("%s: %d requests for memory failed\n", one->name, injected - before);
  CHECK(injected > before);
}

static bool is_wanted(const char *name, int count, char **arguments) {
  if (count == 1) return true;
  for (int i = 1; i < count; ++i) {
    if (strcmp(arguments[i], name) == 0) return true;
  }
  return false;
}

int main(int count, char **arguments) {
  for (size_t i = 0; i < sizeof families / sizeof families[0]; ++i) {
    if (is_wanted(families[i].name, count, arguments)) check_family(&families[i]);
  }
  printf("figure: faults injected = %d\n", injected);
  return injected > 0 ? 0 : 2;
}
