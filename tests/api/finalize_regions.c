/* weft_finalize_with(WEFT_DROP) where the OS threads for regions are used up, and a region joins a
 * thread that is dropped: neither a thread that removes a worker, nor one that comes back to its
 * worker, keeps the end waiting. */
#define _GNU_SOURCE
#include <pthread.h>
#include <unistd.h>
#include <weft/blocking.h>
#include <weft/ext.h>

#include "check.h"
#include "drop_support.h"

enum { ROUNDS = IS_SLOW ? 2 : 10 };

static atomic_int told;

static void join_in_region(void *target) {
  OK(weft_blocking_begin());
  arrive();
  IS(WEFT_ENDED, weft_thread_join(target));
  add_one(&told);
  OK(weft_blocking_end());
  add_one(&passed);
}

static weft_thread *start_target(void) {
  const int before = atomic_load(&arrived);
  weft_thread *const target = start_pinned(wait_for_event, NULL, 1);
  wait_at_least(&arrived, before + 1);
  return target;
}

static weft_thread *prepare(const char *os_threads, unsigned workers) {
  CHECK(setenv("WEFT_BLOCKING_THREADS", os_threads, 1) == 0);
  prepare_objects();
  atomic_store(&told, 0);
  init_with(workers);
  return start_target();
}

/* ---- the remover of a worker is pinned below a region ---- */

static void go_to_2(void) {
  OK(weft_pin(2));
  OK(weft_pin(WEFT_ANY_WORKER));
}

static void join_in_region_on_2(void *target) {
  go_to_2();
  join_in_region(target);
}

struct busy {
  atomic_int may_end;
};

static void keep_2(void *argument) {
  struct busy *mine = argument;
  go_to_2();
  arrive();
  while (atomic_load(&mine->may_end) == 0) sched_yield();
}

static void remove_2(void *argument) {
  (void)argument;
  arrive();
  IS(WEFT_NOT_INITIALIZED, weft_worker_remove(2));
  add_one(&passed);
}

static bool is_2_leaving(void) { return weft_ext_worker_set_scheduler(2, NULL, NULL) == WEFT_INVALID; }

/* The removal waits for a region, or is over, and the remover waits for its worker. */
static void its_remover_waits_below_a_region(bool is_over) {
  phase = is_over ? "the remover is ready below a region" : "the remover waits below a region";
  for (int round = 0; round < ROUNDS; ++round) {
    weft_thread *const target = prepare("0", 3);
    weft_thread *const other_target = start_target();
    struct busy busy = {0};
    OK(weft_thread_detach(is_over ? start(keep_2, &busy) : start(join_in_region_on_2, other_target)));
    wait_at_least(&arrived, 3);
    OK(weft_thread_detach(start_pinned(remove_2, NULL, 1)));
    wait_at_least(&arrived, 4);
    while (!is_2_leaving()) weft_yield();
    OK(weft_thread_detach(start_pinned(join_in_region, target, 1)));
    wait_at_least(&arrived, 5);
    atomic_store(&busy.may_end, 1);
    if (round % 2 == 0) OK(weft_sleep_ns(2 * MILLISECOND)); /* the worker is gone by then */
    drop();
    CHECK(atomic_load(&told) == (is_over ? 1 : 2));
    OK(weft_thread_detach(target));
    OK(weft_thread_detach(other_target));
    CHECK(lines_with("weft: fatal") == 0);
  }
}

/* ---- a claim of a worker whose thread is in another region ---- */

struct first_region {
  atomic_int may_end, has_ended;
};

static void stay_in_region(void *argument) {
  struct first_region *mine = argument;
  OK(weft_blocking_begin());
  arrive();
  while (atomic_load(&mine->may_end) == 0) CHECK(usleep(100) == 0);
  atomic_store(&mine->has_ended, 1);
  OK(weft_blocking_end());
  for (;;) weft_yield();
}

static void its_claim_waits_for_a_region(bool meets_the_end) {
  phase = "a claim waits for a region";
  for (int round = 0; round < ROUNDS; ++round) {
    weft_thread *const target = prepare("1", 2);
    struct first_region first = {0, 0};
    OK(weft_thread_detach(start_pinned(stay_in_region, &first, 1)));
    wait_at_least(&arrived, 2);
    OK(weft_thread_detach(start_pinned(join_in_region, target, 1))); /* another OS thread runs the worker by then */
    wait_at_least(&arrived, 3);
    atomic_store(&first.may_end, 1);
    if (!meets_the_end) {
      wait_for(&first.has_ended, 1);
      OK(weft_sleep_ns(MILLISECOND));
    }
    drop();
    CHECK(atomic_load(&told) == 1 && atomic_load(&first.has_ended) == 1);
    OK(weft_thread_detach(target));
    CHECK(lines_with("weft: dropped 3 threads") == 1);
  }
}

int main(void) {
  listen_to_library();
  its_remover_waits_below_a_region(false);
  its_remover_waits_below_a_region(true);
  its_claim_waits_for_a_region(false);
  its_claim_waits_for_a_region(true);
  CHECK(atomic_load(&passed) == 0);
  return 0;
}
