/* What an implementation says of itself. */
#include "check.h"

static void name_and_workers(void) {
  CHECK(strcmp(threads_implementation(), implementation) == 0);
  CHECK(threads_worker_count() == workers);
  CHECK(((threads_features() & THREADS_CALLER_OUTSIDE) != 0) == is_outside);
}

static bool is_known;

static void look_for_it(void *installed, const char *name, bool is_installed) {
  if (strcmp(name, implementation) != 0) return;
  is_known = true;
  *(bool *)installed = is_installed;
}

static void it_is_among_the_choices(void) {
  bool installed = false;
  is_known = false;
  threads_walk(look_for_it, &installed);
  CHECK(is_known && installed);
}

static void wait_for_gate(void *gate) { OK(threads_sync_read_ff(gate, NULL)); }

/* Threads may be counted a moment longer than their joiner waits for them. */
static void wait_for_counts(size_t running, size_t blocked) {
  for (;;) {
    threads_count count = {1, 0, 0};
    OK(threads_counts(&count));
    if (count.queued == 0 && count.running == running && count.blocked == blocked) return;
    threads_yield();
  }
}

static void waiting_threads_are_counted(void) {
  threads_sync gate = THREADS_SYNC_INIT;
  threads_thread *threads[3];
  IS(THREADS_INVALID, threads_counts(NULL));
  if ((threads_features() & THREADS_COUNTS) == 0) {
    threads_count count;
    IS(THREADS_UNSUPPORTED, threads_counts(&count));
    return;
  }
  for (int i = 0; i < 3; ++i) threads[i] = start(wait_for_gate, &gate);
  wait_for_counts(is_outside ? 0 : 1, 3);
  OK(threads_sync_write_ef(&gate, 1));
  for (int i = 0; i < 3; ++i) OK(threads_join(threads[i]));
  wait_for_counts(is_outside ? 0 : 1, 0);
}

static void every_status_has_a_name(void) {
  for (int status = THREADS_OK; status <= (int)THREADS_DEADLOCK; ++status) {
    CHECK(strncmp(threads_status_name((threads_status)status), "THREADS_", 8) == 0);
    CHECK(strlen(threads_status_text((threads_status)status)) > 10);
  }
  CHECK(strcmp(threads_status_name((threads_status)99), "unknown status") == 0);
  CHECK(strcmp(threads_status_text((threads_status)99), "unknown status") == 0);
}

void check_queries(void) {
  RUN(name_and_workers);
  RUN(it_is_among_the_choices);
  RUN(waiting_threads_are_counted);
  RUN(every_status_has_a_name);
}
