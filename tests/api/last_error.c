/* weft_last_error(): whose it is, how long it lasts, and what it says where nothing is there to
 * write it to. What each call says is in tests/api/errors. */
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include <weft/ext.h>
#include <weft/failing.h>
#include <weft/hot.h>

#include "check.h"

static void says(const char *wanted) {
  if (strcmp(weft_last_error(), wanted) == 0) return;
  fprintf(stderr, "[%s, %s] wanted \"%s\", got \"%s\"\n", phase, current_case, wanted, weft_last_error());
  abort();
}

static void begins_with(const char *wanted) {
  if (strncmp(weft_last_error(), wanted, strlen(wanted)) == 0) return;
  fprintf(stderr, "[%s, %s] wanted \"%s...\", got \"%s\"\n", phase, current_case, wanted, weft_last_error());
  abort();
}

/* ---- what it says ---- */

static void fresh_threads_have_none(void *argument) {
  (void)argument;
  says("");
  weft_ext_fail_as("layer_call");
  says("");
  IS(WEFT_INVALID, weft_thread_join(NULL));
  says("weft_thread_join: argument thread: it is null");
}

static void names_the_value(void) {
  weft_thread_attr attr = WEFT_THREAD_ATTR_INIT;
  weft_thread *out = NULL;
  attr.stack_bytes = 1024;
  IS(WEFT_INVALID, weft_thread_create(nothing, NULL, &attr, &out));
  says("weft_thread_create: argument attr: stack_bytes is 1024; at least 16384 (WEFT_STACK_MIN) are needed");
  attr.stack_bytes = 0;
  attr.worker = -7;
  IS(WEFT_INVALID, weft_tasklet_create(nothing, NULL, &attr, NULL));
  says("weft_tasklet_create: argument attr: there is no worker -7, or it is being removed");
}

static void names_the_object(void) {
  weft_mutex mutex = WEFT_MUTEX_INIT;
  char wanted[128];
  snprintf(wanted, sizeof wanted, "weft_mutex_unlock: argument mutex (%p): no caller holds it", (void *)&mutex);
  IS(WEFT_NOT_OWNER, weft_mutex_unlock(&mutex));
  says(wanted);
  OK(weft_mutex_lock(&mutex)); /* by this caller itself */
  snprintf(wanted, sizeof wanted, "weft_mutex_try_lock: argument mutex (%p): it is held", (void *)&mutex);
  IS(WEFT_BUSY, weft_mutex_try_lock(&mutex));
  says(wanted);
  OK(weft_mutex_unlock(&mutex));
}

static void successes_leave_it(void) {
  IS(WEFT_INVALID, weft_event_set(NULL));
  OK(weft_thread_join(start(nothing, NULL)));
  weft_yield();
  says("weft_event_set: argument event: it is null");
  CHECK(weft_last_error() == weft_last_error());
}

/* Of a library that is built on Weft. */
static weft_status layer_call(int number) {
  return number < 0 ? weft_ext_fail(WEFT_INVALID, "layer_call", "number", "it is %d, and must not be negative", (uint64_t)number)
                    : WEFT_OK;
}

static void libraries_say_it_too(void) {
  IS(WEFT_INVALID, layer_call(-3));
  says("layer_call: argument number: it is -3, and must not be negative");
  IS(WEFT_BUSY, weft_ext_fail(WEFT_BUSY, "layer_call", NULL, "it is at %p", 0xabc));
  says("layer_call: it is at 0xabc");
  IS(WEFT_INVALID, weft_event_set(NULL));
  weft_ext_fail_as("layer_set");
  says("layer_set: argument event: it is null");
}

/* Wherever the room for a text ends, it ends in the middle of what it says. */
static void long_texts_are_cut(void) {
  static char call[400];
  char whole[600];
  for (size_t length = 1; length < sizeof call; ++length) {
    memset(call, 'c', length);
    IS(WEFT_INVALID, weft_ext_fail(WEFT_INVALID, call, "number", "it is %d, and must not be negative", 3));
    snprintf(whole, sizeof whole, "%s: argument number: it is 3, and must not be negative", call);
    CHECK(strlen(weft_last_error()) > 100 || strcmp(weft_last_error(), whole) == 0);
    begins_with("c");
    CHECK(strncmp(whole, weft_last_error(), strlen(weft_last_error())) == 0);
  }
  IS(WEFT_INVALID, weft_event_set(NULL));
  says("weft_event_set: argument event: it is null");
}

/* ---- whose it is ---- */

static void two_threads_have_two(void) {
  IS(WEFT_INVALID, weft_event_set(NULL));
  for (int times = 0; times < 3; ++times) OK(weft_thread_join(start(fresh_threads_have_none, NULL)));
  weft_thread *tasklet = NULL;
  OK(weft_tasklet_create(fresh_threads_have_none, NULL, NULL, &tasklet));
  OK(weft_thread_join(tasklet));
  says("weft_event_set: argument event: it is null");
}

static void goes_along(void *argument) {
  (void)argument;
  IS(WEFT_INVALID, weft_mutex_lock(NULL));
  const char *const before = weft_last_error();
  for (unsigned to = 0; to < weft_worker_count(); ++to) {
    OK(weft_pin((int)to));
    CHECK(weft_worker_self() == (int)to);
    CHECK(weft_last_error() == before);
    says("weft_mutex_lock: argument mutex: it is null");
  }
}

static void migrates(void) {
  weft_thread *all[8];
  for (int i = 0; i < 8; ++i) all[i] = start(goes_along, NULL);
  for (int i = 0; i < 8; ++i) OK(weft_thread_join(all[i]));
}

/* The name of the one that the program has called, of several that the library has inside. */
static void inner_calls_have_no_name(void) {
  weft_thread *ended = start(nothing, NULL);
  weft_thread *list[2] = {ended, weft_self()};
  weft_rwlock lock = WEFT_RWLOCK_INIT;
  IS(WEFT_DEADLOCK, weft_thread_join_many(list, 2));
  begins_with("weft_thread_join_many: argument threads (0x");
  IS(WEFT_DEADLOCK, weft_thread_join_until(weft_self(), WEFT_FOREVER));
  begins_with("weft_thread_join_until: argument thread (0x");
  OK(weft_rwlock_write_lock(&lock));
  IS(WEFT_BUSY, weft_rwlock_try_read_lock(&lock));
  begins_with("weft_rwlock_try_read_lock: argument lock (0x");
  OK(weft_rwlock_unlock(&lock));
}

static void *outside(void *argument) {
  says("");
  IS(WEFT_CANNOT_BLOCK, weft_suspend());
  says("weft_suspend: the caller is on an OS thread outside, where this is not possible");
  return argument;
}

static void os_threads_have_their_own(void) {
  pthread_t thread;
  IS(WEFT_INVALID, weft_event_set(NULL));
  CHECK(pthread_create(&thread, NULL, outside, NULL) == 0);
  CHECK(pthread_join(thread, NULL) == 0);
  says("weft_event_set: argument event: it is null");
}

/* ---- callers without a record ---- */

static char said_in_handler[256];

static void in_handler(int number) {
  static weft_semaphore full = WEFT_SEMAPHORE_INIT(UINT32_MAX);
  (void)number;
  if (weft_semaphore_release_from_handler(&full, 1) != WEFT_INVALID) _exit(9);
}

static void fails_in_a_handler(void *argument) {
  (void)argument;
  says("");
  raise(SIGUSR1);
  begins_with("weft_semaphore_release_from_handler: argument semaphore (0x");
  IS(WEFT_INVALID, weft_event_set(NULL));
  says("weft_event_set: argument event: it is null");
}

static void handlers(void) {
  CHECK(signal(SIGUSR1, in_handler) != SIG_ERR);
  OK(weft_thread_join(start(fails_in_a_handler, NULL)));
}

static size_t nothing_comes(void *has_said) {
  if (!atomic_load((atomic_bool *)has_said) && weft_self() == NULL && weft_suspend() == WEFT_CANNOT_BLOCK) {
    snprintf(said_in_handler, sizeof said_in_handler, "%s", weft_last_error());
    atomic_store((atomic_bool *)has_said, true);
  }
  return 0;
}

static void callbacks(void) {
  weft_source *source = NULL;
  atomic_bool has_said = false;
  OK(weft_ext_source_add(nothing_comes, &has_said, &source));
  while (!atomic_load(&has_said)) weft_yield();
  OK(weft_ext_source_remove(source));
  CHECK(strcmp(said_in_handler, "weft_suspend: the caller is a callback, which may neither wait nor switch") == 0);
}

/* ---- */

static void all(void) {
  RUN(names_the_value);
  RUN(names_the_object);
  RUN(successes_leave_it);
  RUN(libraries_say_it_too);
  RUN(long_texts_are_cut);
  RUN(two_threads_have_two);
  RUN(migrates);
  RUN(inner_calls_have_no_name);
  RUN(os_threads_have_their_own);
  RUN(handlers);
  RUN(callbacks);
}

static void in_a_thread(void *argument) {
  (void)argument;
  says("");
  all();
}

static void finalizes_in_a_region(void) {
  OK(weft_blocking_begin());
  IS(WEFT_NOT_OWNER, weft_finalize());
  says("weft_finalize: the caller is in a blocking region, which weft_blocking_end ends");
  OK(weft_blocking_end());
}

static void everything(void) {
  RUN(finalizes_in_a_region);
  all();
  OK(weft_thread_join(start(in_a_thread, NULL)));
}

int main(void) {
  phase = "without a runtime";
  says("");
  IS(WEFT_NOT_INITIALIZED, weft_finalize());
  says("weft_finalize: the runtime is not running: call weft_init first");
  with_workers("one worker", 1, everything);
  with_workers("three workers", 3, everything);
  phase = "after the runtime";
  IS(WEFT_INVALID, weft_event_set(NULL));
  says("weft_event_set: argument event: it is null");
  RUN(os_threads_have_their_own);
  IS(WEFT_NOT_INITIALIZED, weft_thread_create(nothing, NULL, NULL, NULL));
  says("weft_thread_create: the runtime is not running: call weft_init first");
  return 0;
}
