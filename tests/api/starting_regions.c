/* Threads that stay on the worker that starts them (WEFT_STARTING_WORKER), beside regions of others. */
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <weft/weft.h>

#include "check.h"

enum { WORKERS = 4 };

struct place {
  int worker;
  pid_t os_thread;
};

static pid_t here(void) { return (pid_t)syscall(SYS_gettid); }
static struct place place_now(void) { return (struct place){weft_worker_self(), here()}; }
static void is_at(const struct place *first) { CHECK(weft_worker_self() == first->worker && here() == first->os_thread); }

static weft_thread *start_staying(weft_function function, void *argument) {
  weft_thread_attr attr = WEFT_THREAD_ATTR_INIT;
  attr.worker = WEFT_STARTING_WORKER;
  return start_with(&attr, function, argument);
}

static void block_briefly(void *argument) {
  (void)argument;
  usleep(300);
}

static void stay_beside_regions(void *argument) {
  (void)argument;
  const struct place first = place_now();
  for (int round = 0; round < 20; ++round) {
    weft_yield();
    is_at(&first);
    OK(weft_sleep_ns(100 * MICROSECOND));
    is_at(&first);
  }
}

/* Another OS thread runs the worker while another of its threads is in a region. */
struct worker_of_others {
  struct place first;
  weft_event may_go_on;
  atomic_int is_there, is_inside, may_leave;
};

static void wait_below_a_region(void *argument) {
  struct worker_of_others *both = argument;
  both->first = place_now();
  atomic_store(&both->is_there, 1);
  OK(weft_event_wait(&both->may_go_on));
  CHECK(weft_worker_self() == both->first.worker && here() != both->first.os_thread);
  const struct place now = place_now();
  OK(weft_blocking(block_briefly, NULL));
  is_at(&now); /* its own region */
}

static void stay_in_a_region(void *argument) {
  struct worker_of_others *both = argument;
  OK(weft_blocking_begin());
  CHECK(here() == both->first.os_thread);
  atomic_store(&both->is_inside, 1);
  while (atomic_load(&both->may_leave) == 0) usleep(100);
  OK(weft_blocking_end());
  CHECK(weft_worker_self() == both->first.worker && here() == both->first.os_thread); /* it is pinned */
}

static void its_worker_may_change_its_os_thread(void) {
  struct worker_of_others both = {{0, 0}, WEFT_EVENT_INIT, 0, 0, 0};
  weft_thread *const stayer = start_staying(wait_below_a_region, &both);
  wait_for(&both.is_there, 1);
  weft_thread *const other = start_pinned(stay_in_a_region, &both, both.first.worker);
  wait_for(&both.is_inside, 1);
  OK(weft_event_set(&both.may_go_on));
  OK(weft_thread_join(stayer));
  atomic_store(&both.may_leave, 1);
  OK(weft_thread_join(other));
}

/* ... unless there is none. */
static atomic_int regions_end;

static void go_from_region_to_region(void *argument) {
  (void)argument;
  while (atomic_load(&regions_end) == 0) {
    OK(weft_blocking(block_briefly, NULL));
    weft_yield();
  }
}

static void stays_on_its_os_thread(void) {
  weft_thread *others[WORKERS], *stayers[WORKERS];
  atomic_store(&regions_end, 0);
  for (int i = 0; i < WORKERS; ++i) others[i] = start(go_from_region_to_region, NULL);
  for (int i = 0; i < WORKERS; ++i) stayers[i] = start_staying(stay_beside_regions, NULL);
  OK(weft_thread_join_many(stayers, WORKERS));
  atomic_store(&regions_end, 1);
  OK(weft_thread_join_many(others, WORKERS));
}

static void all(void) { RUN(its_worker_may_change_its_os_thread); }

int main(void) {
  with_workers("other OS threads", WORKERS, all);
  CHECK(setenv("WEFT_BLOCKING_THREADS", "0", 1) == 0);
  with_workers("no other OS threads", WORKERS, stays_on_its_os_thread);
  return 0;
}
