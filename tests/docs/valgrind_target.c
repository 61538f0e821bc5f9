/* For sanitizers_test.py, under Memcheck: threads that decide by what was never set. The argument
 * says which. */
#include <stdlib.h>
#include <string.h>
#include <weft/ext.h>

static int *unset;
static int decided;
static weft_mutex lock;

static void must(weft_status status) {
  if (status != WEFT_OK) abort();
}

static void errs(void *unused) {
  (void)unused;
  if (unset[0] > 3) ++decided;
}

static void errs_and_yields(void *unused) {
  errs(unused);
  weft_yield();
  errs(unused);
  errs(unused);
}

static void errs_and_sleeps(void *unused) {
  errs(unused);
  must(weft_sleep_ns(1000000));
}

static void errs_and_faults(void *unused) {
  errs(unused);
  *(volatile int *)16 = 1;
}

static void errs_often(void *unused) {
  for (int i = 0; i < 200; ++i) {
    errs(unused);
    weft_yield();
  }
}

static void passes_points(void *unused) {
  (void)unused;
  for (int i = 0; i < 30; ++i) {
    must(weft_mutex_lock(&lock));
    must(weft_mutex_unlock(&lock));
  }
}

static void errs_at_points(void *unused) {
  for (int i = 0; i < 30; ++i) {
    errs(unused);
    must(weft_mutex_lock(&lock));
    must(weft_mutex_unlock(&lock));
  }
}

static weft_thread *start(weft_function function, weft_thread_attr attr) {
  weft_thread *made;
  must(weft_thread_create(function, NULL, &attr, &made));
  return made;
}

static weft_thread_attr named(const char *name) {
  weft_thread_attr attr = WEFT_THREAD_ATTR_INIT;
  attr.name = name;
  return attr;
}

static void every_kind(void) {
  static char memory[65536];
  weft_thread *tasklet, *dispatched;
  weft_thread_attr own = named("own stack"), users = named("users stack");
  own.stack_bytes = users.stack_bytes = sizeof memory;
  users.stack = memory;
  errs(NULL);
  must(weft_thread_join(start(errs_and_yields, named("yields"))));
  must(weft_thread_join(start(errs_and_sleeps, named("waits"))));
  must(weft_thread_join(start(errs, own)));
  must(weft_thread_join(start(errs, users)));
  must(weft_ext_thread_make(errs, NULL, &users, false, &dispatched));
  must(weft_ext_dispatch(dispatched));
  must(weft_thread_join(dispatched));
  must(weft_tasklet_create(errs, NULL, NULL, &tasklet));
  must(weft_thread_join(tasklet));
  errs(NULL);
}

static void one_of_two_that_take_turns(void) {
  weft_thread_attr guilty = named("guilty"), innocent = named("innocent");
  guilty.worker = 1;
  innocent.worker = 0;
  weft_thread *threads[] = {start(errs_at_points, guilty), start(passes_points, innocent)};
  must(weft_thread_join_many(threads, 2));
}

int main(int count, char **arguments) {
  const char *wanted = count > 1 ? arguments[1] : "";
  unset = malloc(sizeof *unset);
  errs(NULL); /* before weft_init: no thread is blamed */
  must(weft_init(NULL));
  if (strcmp(wanted, "kinds") == 0) every_kind();
  if (strcmp(wanted, "fault") == 0) must(weft_thread_join(start(errs_and_faults, named("faults"))));
  if (strcmp(wanted, "repeats") == 0) must(weft_thread_join(start(errs_often, named("repeats"))));
  if (strcmp(wanted, "turns") == 0) one_of_two_that_take_turns();
  must(weft_finalize());
  free(unset);
  return 0;
}
