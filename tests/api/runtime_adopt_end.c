/* weft_finalize while OS threads are adopted, or about to be: it waits for them and for what they
 * made, or they come too late. */
#define _GNU_SOURCE
#include <weft/ext.h>

#include "check.h"
#include "os_thread.h"
#include "tree.h"

enum { ROUNDS = IS_SLOW ? 3 : 30 };

struct late {
  atomic_int is_there;
  atomic_int has_left;
};

static void leave_late(void *argument) {
  struct late *mine = argument;
  OK(weft_worker_adopt(NULL));
  atomic_store(&mine->is_there, 1);
  OK(weft_sleep_ns(5 * MILLISECOND));
  struct tree tree = {3, 0};
  OK(weft_thread_join(start(grow, &tree)));
  CHECK(tree.leaves == 27);
  atomic_store(&mine->has_left, 1);
  OK(weft_worker_leave());
}

static void finalize_waits(unsigned workers) {
  phase = "finalize while one is adopted";
  init_with(workers);
  struct late late = {0, 0};
  struct os_thread other;
  begin(&other, leave_late, &late);
  wait_for(&late.is_there, 1);
  OK(weft_finalize());
  CHECK(atomic_load(&late.has_left) == 1);
  join(&other);
}

struct racer {
  struct os_thread os_thread;
  atomic_int *has_begun;
  atomic_int made, ran;
};

/* Comes before the end, or too late. */
static void race_the_end(void *argument) {
  struct racer *mine = argument;
  atomic_store(mine->has_begun, 1);
  for (;;) {
    const weft_status status = weft_worker_adopt(NULL);
    if (status == WEFT_NOT_INITIALIZED) return;
    OK(status);
    OK(weft_thread_create(add_one, &mine->ran, NULL, NULL));
    atomic_fetch_add(&mine->made, 1);
    OK(weft_worker_leave());
  }
}

static void races_the_end(void) {
  phase = "adopt while the runtime ends";
  for (int round = 0; round < ROUNDS; ++round) {
    init_with(1 + (unsigned)round % 2);
    atomic_int has_begun = 0;
    struct racer others[2];
    for (int i = 0; i < 2; ++i) {
      others[i] = (struct racer){.has_begun = &has_begun};
      begin(&others[i].os_thread, race_the_end, &others[i]);
    }
    compute_until(&has_begun, 1);
    OK(weft_finalize());
    for (int i = 0; i < 2; ++i) {
      join(&others[i].os_thread);
      CHECK(atomic_load(&others[i].ran) == atomic_load(&others[i].made));
    }
  }
}

int main(void) {
  finalize_waits(1);
  finalize_waits(2);
  races_the_end();
  return 0;
}
