/* weft_yield_or_wait, for loops that poll; weft_count_threads. */
#define _GNU_SOURCE
#include <unistd.h>
#include <weft/blocking.h>
#include <weft/ext.h>

#include "check.h"
#include "os_thread.h"

static atomic_int flag;

static void set_flag(void *argument) {
  (void)argument;
  atomic_store(&flag, 1);
}
static void set_flag_later(void *argument) {
  CHECK(usleep(3000) == 0);
  set_flag(argument);
}

static void poll_flag(void) {
  while (atomic_load(&flag) == 0) OK(weft_yield_or_wait(WEFT_FOREVER));
}

static void polls_for_an_os_thread(void) {
  atomic_store(&flag, 0);
  struct os_thread other;
  begin(&other, set_flag_later, NULL);
  poll_flag();
  join(&other);
}

static void lets_others_run(void) {
  atomic_store(&flag, 0);
  weft_thread *other = start(set_flag, NULL);
  poll_flag();
  OK(weft_thread_join(other));
}

/* It may be anywhere when the other one runs. */
static void poll_in_a_thread(void *argument) {
  (void)argument;
  poll_flag();
}
static void polls_in_threads(void) {
  atomic_store(&flag, 0);
  weft_thread *pollers[20];
  for (int each = 0; each < 20; ++each) pollers[each] = start(poll_in_a_thread, NULL);
  for (int turn = 0; turn < 50; ++turn) weft_yield();
  atomic_store(&flag, 1);
  for (int each = 0; each < 20; ++each) OK(weft_thread_join(pollers[each]));
}

/* Each call takes 2 us at least, more and more. */
static void waits_rather_than_spins(void) {
  const uint64_t began = weft_now_ns();
  uint64_t calls = 0, now = began;
  for (; now - began < 10 * MILLISECOND; now = weft_now_ns(), ++calls) OK(weft_yield_or_wait(WEFT_FOREVER));
  CHECK(calls <= (now - began) / 2000);
}

/* A worker that serves an empty pool has nothing to run, either. */
static void waits_beside_a_pool(void) {
  weft_pool *pool;
  OK(weft_pool_create(WEFT_POOL_FIFO, WEFT_POOL_SHARED, &pool));
  OK(weft_pool_attach(pool, 0));
  waits_rather_than_spins();
  weft_thread_attr attr = WEFT_THREAD_ATTR_INIT;
  attr.pool = pool;
  atomic_store(&flag, 0);
  weft_thread *other = start_with(&attr, set_flag, NULL);
  poll_flag();
  OK(weft_thread_join(other));
  OK(weft_pool_detach(pool, 0));
  OK(weft_pool_destroy(pool));
}

static void ends_at_its_deadline(void) {
  IS(WEFT_TIMEOUT, weft_yield_or_wait(0));
  const uint64_t deadline = weft_deadline_in(2 * MILLISECOND);
  weft_status status;
  do {
    status = weft_yield_or_wait(deadline);
  } while (status == WEFT_OK);
  CHECK(status == WEFT_TIMEOUT && weft_now_ns() >= deadline);
}

static void may_not_wait(void *argument) {
  (void)argument;
  IS(WEFT_CANNOT_BLOCK, weft_yield_or_wait(WEFT_FOREVER));
}
/* A callback: the ready of an awaiter. */
static void may_not_wait_either(weft_awaiter *awaiter, weft_status status) {
  (void)status;
  may_not_wait(awaiter);
}
static void callbacks(void) {
  weft_event event = WEFT_EVENT_INIT;
  weft_awaiter mine = WEFT_AWAITER_INIT(may_not_wait_either);
  bool waits = false;
  OK(weft_ext_await(&mine, &event, WEFT_AWAIT_EVENT, &waits));
  CHECK(waits);
  OK(weft_event_set(&event));
}

static void waits(void) {
  polls_for_an_os_thread();
  lets_others_run();
  polls_in_threads();
  ends_at_its_deadline();
  weft_thread *tasklet;
  OK(weft_tasklet_create(may_not_wait, NULL, NULL, &tasklet));
  OK(weft_thread_join(tasklet));
}

/* ---- counts ---- */

static weft_event go = WEFT_EVENT_INIT;

static void wait_for_go(void *argument) {
  (void)argument;
  OK(weft_event_wait(&go));
}
static void suspend(void *argument) {
  (void)argument;
  OK(weft_suspend());
}

static void are(uint64_t ready, uint64_t running, uint64_t blocked) {
  weft_counts now = WEFT_COUNTS_INIT;
  OK(weft_count_threads(&now));
  CHECK(now.ready == ready && now.running == running && now.blocked == blocked);
}

static void count_from_outside(void *argument) {
  (void)argument;
  are(0, 0, 1); /* main waits */
}

static void counts(void) {
  are(0, 1, 0);
  weft_thread *waiting[5], *suspended, *ended;
  for (int each = 0; each < 5; ++each) waiting[each] = start(wait_for_go, NULL);
  ended = start(nothing, NULL);
  are(6, 1, 0);
  suspended = start(suspend, NULL);
  weft_yield();
  are(0, 1, 6);
  weft_counts now = WEFT_COUNTS_INIT;
  OK(weft_count_threads(&now));
  CHECK(now.workers == 1 && now.idle == 0);
  OK(weft_event_set(&go));
  are(5, 1, 1);
  for (int each = 0; each < 5; ++each) OK(weft_thread_join(waiting[each]));
  are(0, 1, 1);
  OK(weft_resume(suspended));
  OK(weft_thread_join(suspended));
  OK(weft_thread_join(ended));
  are(0, 1, 0);
  now.size = 1;
  IS(WEFT_INVALID, weft_count_threads(&now));
}

static void read_in_region(void *argument) {
  char byte;
  OK(weft_blocking_begin());
  CHECK(read(*(int *)argument, &byte, 1) == 1);
  OK(weft_blocking_end());
}

static void counts_blocking_calls(void) {
  int ends[2];
  CHECK(pipe(ends) == 0);
  weft_thread *reader = start(read_in_region, &ends[0]);
  weft_counts now = WEFT_COUNTS_INIT;
  do {
    weft_yield();
    OK(weft_count_threads(&now));
  } while (now.blocked != 1);
  CHECK(now.running == 1);
  CHECK(write(ends[1], "x", 1) == 1);
  OK(weft_thread_join(reader));
  are(0, 1, 0);
  CHECK(close(ends[0]) == 0 && close(ends[1]) == 0);
}

struct counter {
  struct os_thread thread;
  weft_event done;
};
static void count_and_tell(void *argument) {
  struct counter *mine = argument;
  while (true) {
    weft_counts now = WEFT_COUNTS_INIT;
    OK(weft_count_threads(&now));
    if (now.blocked == 1 && now.idle == 3) break; /* main waits, and no worker has anything to do */
  }
  count_from_outside(NULL);
  OK(weft_event_set(&mine->done));
}
static void counts_workers(void) {
  struct counter other = {.done = WEFT_EVENT_INIT};
  begin(&other.thread, count_and_tell, &other);
  OK(weft_event_wait(&other.done));
  join(&other.thread);
}

int main(void) {
  phase = "without a runtime";
  weft_counts none = WEFT_COUNTS_INIT;
  IS(WEFT_NOT_INITIALIZED, weft_count_threads(&none));
  polls_for_an_os_thread();
  ends_at_its_deadline();
  with_workers("one worker", 1, waits);
  with_workers("alone", 1, waits_rather_than_spins);
  with_workers("beside a pool", 1, waits_beside_a_pool);
  with_workers("three workers", 3, waits);
  with_workers("callbacks", 1, callbacks);
  with_workers("counts", 1, counts);
  with_workers("counts of workers", 3, counts_workers);
  with_workers("counts of blocking calls", 1, counts_blocking_calls);
  return 0;
}
