/* Objects of libraries over stops, and starts of other implementations: tracked keys, locks, turns
 * and the mark of the main thread. */
#include <weft/weft.h>

#include <weft_threads/lock.h>
#include <weft_threads/progress.h>
#include <weft_threads/tracked.h>

#include "check.h"

const char *implementation = "";
const char *current_case = "";
bool is_outside;

static void start_it(const char *name) {
  threads_config config = THREADS_CONFIG_INIT;
  config.workers = 2;
  config.implementation = implementation = name;
  OK(threads_start(&config));
}

/* ---- tracked keys ---- */

enum { more_than_all_keys = 1100 };

static int destroyed;
static void destroy(void *count) { ++*(int *)count; }
static threads_tracked_key tracked = THREADS_TRACKED_KEY_INIT(destroy);

/* libweft, its keys and the caller's values outlast threads_stop here. */
static void a_key_that_is_deleted_after_the_stop_is_gone(void) {
  CHECK(weft_init(NULL) == WEFT_OK);
  for (int i = 1; i <= more_than_all_keys; ++i) {
    start_it("weft");
    OK(threads_tracked_set(&tracked, &destroyed));
    OK(threads_stop());
    OK(threads_tracked_delete(&tracked));
    CHECK(destroyed == i);
  }
  CHECK(weft_finalize() == WEFT_OK);
  CHECK(destroyed == more_than_all_keys);
}

static void a_key_serves_one_implementation_after_another(void) {
  static const char *const each[] = {"fifo", "weft", "pool", "weft"};
  for (size_t i = 0; i < sizeof each / sizeof *each; ++i) {
    start_it(each[i]);
    CHECK(threads_tracked_get(&tracked) == NULL);
    OK(threads_tracked_set(&tracked, &destroyed));
    CHECK(threads_tracked_get(&tracked) == &destroyed);
    OK(threads_stop());
  }
  OK(threads_tracked_delete(&tracked));
}

/* ---- keys ---- */

/* A program that leaves the deletion of its keys to threads_stop never runs out of them, and an old
 * one names none of the next start's. */
static void keys_end_with_the_stop(void) {
  static const char *const each[] = {"fifo", "pool", "weft"};
  threads_key old = {{0, 0}}, key;
  for (size_t i = 0; i < sizeof each / sizeof *each; ++i) {
    for (int k = 0; k < more_than_all_keys; ++k) {
      start_it(each[i]);
      OK(threads_key_create(destroy, &key));
      if (k > 0) {
        CHECK(threads_key_get(old) == NULL);
        IS(THREADS_INVALID, threads_key_delete(old));
      }
      old = key;
      OK(threads_stop());
    }
  }
}

static void a_stop_that_succeeds_tells_of_no_key(void) {
  threads_config unknown = THREADS_CONFIG_INIT;
  unknown.implementation = "none of ours";
  CHECK(threads_start(&unknown) != THREADS_OK);
  start_it("weft");
  threads_key key;
  OK(threads_key_create(destroy, &key));
  OK(threads_key_delete(key));
  OK(threads_stop());
  CHECK(strstr(threads_last_error(), "threads_start") != NULL);
}

/* ---- beside another's weft_init ---- */

/* Its keys live on, also over its end, until threads_start starts a runtime itself. */
static void keys_end_before_the_next_runtime(void) {
  threads_key key;
  threads_status status = THREADS_OK;
  while (status == THREADS_OK) {
    CHECK(weft_init(NULL) == WEFT_OK);
    start_it("weft");
    status = threads_key_create(destroy, &key);
    OK(threads_stop());
    CHECK(weft_finalize() == WEFT_OK);
  }
  IS(THREADS_AGAIN, status);
  start_it("weft");
  OK(threads_key_create(destroy, &key));
  OK(threads_stop());
}

/* The caller was adopted then, whatever threads_start asks for. */
static void features_say_what_the_first_start_did(void) {
  threads_config config = THREADS_CONFIG_INIT;
  config.implementation = implementation = "weft";
  for (int i = 0; i < 2; ++i) {
    config.caller_outside = i == 1;
    CHECK(weft_init(NULL) == WEFT_OK);
    OK(threads_start(&config));
    CHECK((threads_features() & THREADS_CALLER_OUTSIDE) == 0 && threads_self_id() != 0);
    OK(threads_stop());
    CHECK(weft_finalize() == WEFT_OK);
  }
}

/* ---- locks and turns ---- */

enum { callers = 4, rounds = IS_SLOW ? 50 : 200 };

static threads_lock lock = THREADS_LOCK_INIT;
static threads_turn turn = THREADS_TURN_INIT;
static long locked, turns;

static int nothing_happens(void *unused) {
  (void)unused;
  return 0;
}
static threads_progress idle = THREADS_PROGRESS_INIT(nothing_happens, NULL, 1);

static void take_both(void *unused) {
  (void)unused;
  for (int i = 0; i < rounds; ++i) {
    OK(threads_lock_acquire(&lock));
    ++locked;
    if (i % 5 == 0) threads_yield(); /* so that others find it held */
    OK(threads_lock_release(&lock));
    OK(threads_turn_acquire(&turn, &idle));
    ++turns;
    if (i % 5 == 0) threads_yield();
    OK(threads_turn_release(&turn));
  }
}

/* None is destroyed between: the words of one implementation are there when the next one comes. */
static void locks_and_turns_serve_one_implementation_after_another(void) {
  static const char *const each[] = {"fifo", "weft", "pool", "weft"};
  for (size_t i = 0; i < sizeof each / sizeof *each; ++i) {
    threads_thread *threads[callers];
    locked = turns = 0;
    start_it(each[i]);
    for (int k = 0; k < callers; ++k) threads[k] = start(take_both, NULL);
    for (int k = 0; k < callers; ++k) OK(threads_join(threads[k]));
    OK(threads_stop());
    CHECK(locked == callers * rounds && turns == callers * rounds);
  }
  OK(threads_lock_destroy(&lock));
}

/* ---- the main thread ---- */

static void become_main(void *unused) {
  (void)unused;
  threads_set_main();
  CHECK(threads_is_main());
}

static void be_another(void *unused) {
  (void)unused;
  CHECK(!threads_is_main());
}

static void no_thread_of_a_later_start_passes_for_main(void) {
  static const char *const each[] = {"fifo", "weft", "pool"};
  for (size_t i = 0; i < sizeof each / sizeof *each; ++i) {
    start_it(each[i]);
    OK(threads_join(start(become_main, NULL)));
    OK(threads_stop());
    CHECK(!threads_is_main());
    start_it(each[i]);
    for (int k = 0; k < callers; ++k) OK(threads_join(start(be_another, NULL)));
    CHECK(!threads_is_main());
    OK(threads_stop());
  }
}

int main(void) {
  RUN(a_key_that_is_deleted_after_the_stop_is_gone);
  RUN(a_key_serves_one_implementation_after_another);
  RUN(keys_end_with_the_stop);
  RUN(a_stop_that_succeeds_tells_of_no_key);
  RUN(keys_end_before_the_next_runtime);
  RUN(features_say_what_the_first_start_did);
  RUN(locks_and_turns_serve_one_implementation_after_another);
  RUN(no_thread_of_a_later_start_passes_for_main);
  return 0;
}
