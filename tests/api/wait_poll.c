/* weft_wait_poll and WEFT_AWAIT_POLLED: conditions that only polling can see. */
#define _GNU_SOURCE
#include <pthread.h>
#include <string.h>
#include <unistd.h>
#include <weft/ext.h>

#include "await_support.h"
#include "os_thread.h"
#include "said.h"

enum { CONDITIONS = IS_SLOW ? 100 : 1000 };

/* A device that is polled. Nothing wakes the callers that wait for it. */
struct request {
  atomic_int is_over;
  atomic_int polls; /* so far; 1000000 and more: after it was seen to be over */
};

static atomic_int inside; /* callers of is_over */

static bool is_over(void *argument) {
  struct request *one = argument;
  const bool over = atomic_load(&one->is_over) != 0;
  atomic_fetch_add(&one->polls, over ? 1000000 : 1);
  return over;
}

static bool is_over_alone(void *argument) {
  const bool is_first = atomic_load(&((struct request *)argument)->polls) == 0;
  if (is_first) return is_over(argument); /* by the caller */
  CHECK(weft_self() == NULL);
  CHECK(atomic_fetch_add(&inside, 1) == 0); /* one worker at a time */
  const bool over = is_over(argument);
  atomic_fetch_sub(&inside, 1);
  return over;
}

static bool was_seen_once(struct request *one) { return atomic_load(&one->polls) / 1000000 == 1; }

static void end_later(void *argument) {
  CHECK(usleep(3000) == 0);
  atomic_store(&((struct request *)argument)->is_over, 1);
}

static void end_now(void *argument) { atomic_store(&((struct request *)argument)->is_over, 1); }

/* ---- any caller ---- */

static void waits_for_an_os_thread(void) {
  for (int round = 0; round < 3; ++round) {
    struct request one = {0, 0};
    struct os_thread device;
    begin(&device, end_later, &one);
    if (round == 0)
      OK(weft_wait_poll(is_over, &one, WEFT_FOREVER));
    else
      OK(weft_wait_poll(is_over, &one, weft_deadline_in(1000 * SECOND)));
    CHECK(was_seen_once(&one));
    join(&device);
  }
}

static void need_not_wait(void) {
  struct request one = {1, 0};
  OK(weft_wait_poll(is_over, &one, WEFT_FOREVER));
  CHECK(was_seen_once(&one));
  struct request other = {1, 0};
  OK(weft_wait_poll(is_over, &other, 0)); /* a deadline that has passed */
}

static void times_out(void) {
  struct request one = {0, 0};
  IS(WEFT_TIMEOUT, weft_wait_poll(is_over, &one, 0));
  CHECK(atomic_load(&one.polls) == 1);
  IS(WEFT_TIMEOUT, weft_wait_poll(is_over, &one, weft_deadline_in(2 * MILLISECOND)));
  const int polls = atomic_load(&one.polls);
  OK(weft_sleep_ns(3 * MILLISECOND));
  CHECK(atomic_load(&one.polls) == polls);
}

static void all_callers(void) {
  waits_for_an_os_thread();
  need_not_wait();
  times_out();
}

/* ---- the worker goes on ---- */

static void wait_alone(void *argument) { OK(weft_wait_poll(is_over_alone, argument, WEFT_FOREVER)); }

static void others_run(void) {
  struct request one = {0, 0};
  weft_thread *waiter = start(wait_alone, &one);
  wait_for_state(waiter, WEFT_THREAD_BLOCKED);
  OK(weft_thread_join(start(end_now, &one))); /* on the same worker, if there is one */
  OK(weft_thread_join(waiter));
  CHECK(was_seen_once(&one));
}

static void end_in_turn(void *argument) {
  struct request *all = argument;
  for (int each = 0; each < CONDITIONS; ++each) {
    atomic_store(&all[(each * 7) % CONDITIONS].is_over, 1);
    if (each % 50 == 0) CHECK(usleep(200) == 0);
  }
}

static void many_wait(void) {
  static struct request all[CONDITIONS];
  static weft_thread *waiters[CONDITIONS];
  for (int each = 0; each < CONDITIONS; ++each) {
    atomic_store(&all[each].is_over, 0);
    atomic_store(&all[each].polls, 0);
    waiters[each] = start(wait_alone, &all[each]);
  }
  struct os_thread device;
  begin(&device, end_in_turn, all);
  for (int each = 0; each < CONDITIONS; ++each) {
    OK(weft_thread_join(waiters[each]));
    CHECK(was_seen_once(&all[each]));
  }
  join(&device);
}

static void may_not_wait(void *argument) {
  struct request one = {0, 0}, over = {1, 0};
  IS(WEFT_CANNOT_BLOCK, weft_wait_poll(is_over, &one, WEFT_FOREVER));
  OK(weft_wait_poll(is_over, &over, WEFT_FOREVER));
  atomic_store((atomic_int *)argument, 1);
}

static void tasklets(void) {
  atomic_int ran = 0;
  weft_thread *tasklet;
  OK(weft_tasklet_create(may_not_wait, &ran, NULL, &tasklet));
  OK(weft_thread_join(tasklet));
  CHECK(atomic_load(&ran) == 1);
}

/* A callback: the ready of an awaiter. */
static void may_not_wait_either(weft_awaiter *awaiter, weft_status status) {
  (void)status;
  may_not_wait(&((struct wait *)awaiter)->calls);
}
static void callbacks(void) {
  weft_event event = WEFT_EVENT_INIT;
  struct wait mine;
  prepare(&mine, WEFT_AWAIT_EVENT);
  mine.awaiter = (weft_awaiter)WEFT_AWAITER_INIT(may_not_wait_either);
  CHECK(arm(&mine, &event, WEFT_AWAIT_EVENT));
  OK(weft_event_set(&event));
  CHECK(atomic_load(&mine.calls) == 1);
}

/* ---- each in its turn ---- */

enum { IN_TURN = 70, LOOKS = 5 }; /* more than are polled in one go */

static atomic_int looks[IN_TURN];

/* One that polls the same conditions again before the others never comes to the end. */
static bool have_all_had_their_turns(void *mine) {
  atomic_fetch_add((atomic_int *)mine, 1);
  for (int each = 0; each < IN_TURN; ++each)
    if (atomic_load(&looks[each]) < LOOKS) return false;
  return true;
}

static void wait_for_turns_of_all(void *mine) { OK(weft_wait_poll(have_all_had_their_turns, mine, WEFT_FOREVER)); }

static void polls_in_turn(void) {
  weft_thread *waiters[IN_TURN];
  for (int each = 0; each < IN_TURN; ++each) atomic_store(&looks[each], 0);
  for (int each = 0; each < IN_TURN; ++each) waiters[each] = start(wait_for_turns_of_all, &looks[each]);
  OK(weft_thread_join_many(waiters, IN_TURN));
}

static void inside_the_runtime(void) {
  RUN(polls_in_turn);
  others_run();
  many_wait();
  tasklets();
  callbacks();
}

/* ---- awaiters ---- */

static void awaiters(void) {
  struct request one = {0, 0}, over = {1, 0};
  weft_polled polled = {is_over, &one}, at_once = {is_over, &over}, bad = {NULL, NULL};
  struct wait mine;
  prepare(&mine, WEFT_AWAIT_POLLED);
  CHECK(!arm(&mine, &at_once, WEFT_AWAIT_POLLED));
  bool waits;
  IS(WEFT_INVALID, weft_ext_await(&mine.awaiter, &bad, WEFT_AWAIT_POLLED, &waits));
  CHECK(arm(&mine, &polled, WEFT_AWAIT_POLLED));
  end_now(&one);
  wait_for(&mine.calls, 1);
  CHECK(mine.status == WEFT_OK && was_seen_once(&one));

  struct request never = {0, 0};
  polled.argument = &never;
  prepare(&mine, WEFT_AWAIT_POLLED);
  CHECK(arm(&mine, &polled, WEFT_AWAIT_POLLED));
  CHECK(weft_ext_await_cancel(&mine.awaiter));
  prepare(&mine, WEFT_AWAIT_POLLED);
  if (arm_briefly(&mine, &polled, WEFT_AWAIT_POLLED)) {
    wait_for(&mine.calls, 1);
    CHECK(mine.status == WEFT_TIMEOUT);
  }

  weft_event event = WEFT_EVENT_INIT;
  weft_await_case cases[2] = {{.object = &polled, .kind = WEFT_AWAIT_POLLED}, {.object = &event, .kind = WEFT_AWAIT_EVENT}};
  prepare(&mine, WEFT_AWAIT_EVENT);
  OK(weft_ext_await_any(&mine.awaiter, cases, 2, &waits));
  CHECK(waits);
  OK(weft_event_set(&event));
  wait_for(&mine.calls, 1);
  CHECK(mine.awaiter.winner == 1);
  const int polls = atomic_load(&never.polls);
  OK(weft_sleep_ns(2 * MILLISECOND));
  CHECK(atomic_load(&never.polls) == polls); /* it left */

  weft_event_reset(&event);
  prepare(&mine, WEFT_AWAIT_EVENT);
  OK(weft_ext_await_any(&mine.awaiter, cases, 2, &waits));
  CHECK(waits);
  end_now(&never);
  wait_for(&mine.calls, 1);
  CHECK(mine.awaiter.winner == 0);
}

/* ---- a condition that takes its time ---- */

struct slow {
  pthread_t not_on; /* where it returns at once */
  atomic_int inside, may_go_on, is_over;
};

static bool is_slow(void *argument) {
  struct slow *one = argument;
  if (pthread_equal(pthread_self(), one->not_on)) return false;
  atomic_fetch_add(&one->inside, 1);
  while (atomic_load(&one->may_go_on) == 0) sched_yield();
  atomic_fetch_sub(&one->inside, 1);
  return atomic_load(&one->is_over) != 0;
}

static void wait_for_slow(void *argument) { OK(weft_wait_poll(is_slow, argument, WEFT_FOREVER)); }
static void wait_for_slow_briefly(void *argument) {
  struct slow *one = argument;
  IS(WEFT_TIMEOUT, weft_wait_poll(is_slow, one, weft_deadline_in(MILLISECOND)));
  CHECK(atomic_load(&one->inside) == 0); /* it is called no more */
}

/* On this OS thread's worker; the other worker polls. */
static weft_thread *start_slow(struct slow *one, weft_function function) {
  *one = (struct slow){pthread_self(), 0, 0, 0};
  return start_pinned(function, one, 0);
}
static void let_other_worker_poll(void) {
  weft_yield();
  CHECK(usleep(500) == 0);
}

static void others_are_not_held_up(void) {
  struct slow one;
  weft_thread *waits = start_slow(&one, wait_for_slow);
  while (atomic_load(&one.inside) == 0) let_other_worker_poll();
  struct request never = {0, 0};
  weft_polled polled = {is_over, &never};
  for (int round = 0; round < 3; ++round) {
    struct wait mine;
    prepare(&mine, WEFT_AWAIT_POLLED);
    CHECK(arm(&mine, &polled, WEFT_AWAIT_POLLED));
    CHECK(weft_ext_await_cancel(&mine.awaiter));
  }
  CHECK(atomic_load(&never.polls) == 3); /* as it was armed */
  CHECK(weft_thread_get_state(waits) == WEFT_THREAD_BLOCKED);
  atomic_store(&one.is_over, 1);
  atomic_store(&one.may_go_on, 1);
  OK(weft_thread_join(waits));
}

static void deadline_passes_during_a_look(void) {
  struct slow one;
  weft_thread *waits = start_slow(&one, wait_for_slow_briefly);
  for (int round = 0; round < 6; ++round) let_other_worker_poll(); /* the deadline passes */
  atomic_store(&one.may_go_on, 1);
  OK(weft_thread_join(waits));
}

static void slow_condition(void) {
  others_are_not_held_up();
  for (int round = 0; round < 10; ++round) deadline_passes_during_a_look();
}

/* ---- the end of the runtime ---- */

static void ends_with_the_runtime(void) {
  phase = "the end";
  struct request never = {0, 0};
  weft_polled polled = {is_over, &never};
  struct wait mine;
  prepare(&mine, WEFT_AWAIT_POLLED);
  bool waits;
  IS(WEFT_NOT_INITIALIZED, weft_ext_await(&mine.awaiter, &polled, WEFT_AWAIT_POLLED, &waits));
  for (int round = 0; round < 3; ++round) {
    init_with(1);
    prepare(&mine, WEFT_AWAIT_POLLED);
    CHECK(arm(&mine, &polled, WEFT_AWAIT_POLLED));
    OK(weft_finalize());
    CHECK(mine.calls == 1 && mine.status == WEFT_ENDED);
  }
}

static void is_dropped(unsigned workers) {
  phase = "drop";
  enum { WAITING = 10 };
  for (int round = 0; round < 5; ++round) {
    static struct request never[WAITING];
    memset(never, 0, sizeof never);
    init_with(workers);
    for (int each = 0; each < WAITING; ++each) {
      weft_thread *waiter = start(wait_alone, &never[each]);
      wait_for_state(waiter, WEFT_THREAD_BLOCKED);
      OK(weft_thread_detach(waiter));
    }
    OK(weft_finalize_with(WEFT_DROP));
    CHECK(lines_with("weft: dropped 10 threads at the end, 0 ready, 10 blocked;") == 1);
    int polls[WAITING];
    for (int each = 0; each < WAITING; ++each) polls[each] = atomic_load(&never[each].polls);
    init_with(workers);
    others_run();
    OK(weft_finalize());
    for (int each = 0; each < WAITING; ++each) CHECK(atomic_load(&never[each].polls) == polls[each]);
  }
}

int main(void) {
  listen_to_library();
  phase = "without a runtime";
  all_callers();
  run_all(all_callers);
  with_workers("one worker", 1, inside_the_runtime);
  with_workers("three workers", 3, inside_the_runtime);
  with_workers("awaiters", 1, awaiters);
  with_workers("awaiters, two workers", 2, awaiters);
  with_workers("a slow condition", 2, slow_condition);
  ends_with_the_runtime();
  is_dropped(1);
  is_dropped(2);
  return 0;
}
