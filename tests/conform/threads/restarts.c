/* Objects of libraries over stops, and starts of other implementations: tracked keys. */
#include <weft/weft.h>

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

int main(void) {
  RUN(a_key_that_is_deleted_after_the_stop_is_gone);
  RUN(a_key_serves_one_implementation_after_another);
  return 0;
}
