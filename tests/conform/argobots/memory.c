/* usage: conform_argobots_memory [FAMILY ...], all of them without. Every request for memory fails in turn, while the program makes and
 * uses what the family has: each call succeeds or answers ABT_ERR_MEM, nothing is lost, and the
 * same works afterwards. */
#include "memory.h"

static const struct family {
  const char *name;
  void (*body)(void);
  bool in_runtime; /* a fresh one each time: nothing is left of earlier ones, as in caches */
  int in_a_row;    /* how many requests fail at once */
} families[] = {
    {"start_and_end", lack_memory_for_start_and_end, false, 1},
    {"many_blocked", lack_memory_for_many_blocked, false, 1},
    {"handing_over", lack_memory_for_handing_over, true, 2}, /* a yield to a new ULT asks twice for a stack */
    {"streams", lack_memory_for_streams, true, 1},
    {"schedulers", lack_memory_for_schedulers, true, 1},
    {"configurations", lack_memory_for_configurations, true, 1},
    {"pools", lack_memory_for_pools, true, 1},
    {"units", lack_memory_for_units, true, 1},
    {"values", lack_memory_for_values, true, 1},
    {"locks", lack_memory_for_locks, true, 1},
    {"events", lack_memory_for_events, true, 1},
    {"information", lack_memory_for_information, true, 1},
};

/* ---- the driver ---- */

static int injected;

/* nth 0: nothing fails. False: there are not that many requests. */
static bool fails_at(int nth, const struct family *one) {
  if (one->in_runtime) OK(ABT_init(0, NULL));
  fail_requests(nth, one->in_a_row);
  one->body();
  const bool has = has_failed();
  fail_requests(0, 0);
  if (one->in_runtime) OK(ABT_finalize());
  injected += has;
  return has;
}

/* The same failure twice: what is kept once is not kept again. */
static bool survives_failure_of(int nth, const struct family *one) {
  if (!fails_at(nth, one)) return false;
  fails_at(0, one);
  const long before = live_blocks();
  fails_at(nth, one);
  fails_at(0, one);
  if (live_blocks() > before) fprintf(stderr, "[%s] request %d: %ld blocks more\n", current_case, nth, live_blocks() - before);
  CHECK(live_blocks() <= before);
  return true;
}

static void check_family(const struct family *one) {
  enum { most_requests = 2000 };
  const int before = injected;
  int nth = 1;
  current_case = one->name;
  while (nth < most_requests && survives_failure_of(nth, one)) ++nth;
  CHECK(nth < most_requests); /* or it asks for memory without end */
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
  printf("figure: calls failed = %d\n", injected);
  return injected > 0 ? 0 : 2;
}
