/* Tasks that block, wait, have events, and are suspended. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include <weft/hot.h>

#include "check.h"

static atomic_int callbacks;

static void count_callback(void *argument) {
  (void)argument;
  ++callbacks;
}

static void spawn(void (*body)(void *), void *argument) { OK(alpi_task_spawn(body, argument, count_callback, NULL, NULL, NULL)); }

static void await_callbacks(int wanted) {
  while (callbacks != wanted) OK(alpi_task_waitfor_ns(100000, NULL));
  callbacks = 0;
}

/* ---- block, unblock ------------------------------------------------------------------------------ */

struct blocked {
  _Atomic(struct alpi_task *) task;
  atomic_int returned;
};

static void blocks_twice(void *argument) {
  struct blocked *const mine = argument;
  struct alpi_task *const task = self();
  CHECK(task != NULL && self() == task);
  mine->task = task;
  OK(alpi_task_block(task));
  ++mine->returned;
  OK(alpi_task_block(task));
  ++mine->returned;
}

static struct alpi_task *task_of(struct blocked *one) {
  while (one->task == NULL) OK(alpi_task_waitfor_ns(0, NULL));
  return one->task;
}

static void *unblock_from_outside(void *task) {
  OK(alpi_task_unblock(task));
  return NULL;
}

static void blocked_tasks_go_on_when_unblocked(void) {
  struct blocked one = {NULL, 0}, other = {NULL, 0};
  spawn(blocks_twice, &one);
  spawn(blocks_twice, &other);
  CHECK(task_of(&one) != task_of(&other));
  OK(alpi_task_waitfor_ns(2000000, NULL));
  CHECK(one.returned == 0 && other.returned == 0);
  OK(alpi_task_unblock(one.task));
  while (one.returned != 1) OK(alpi_task_waitfor_ns(0, NULL));
  OK(alpi_task_waitfor_ns(2000000, NULL));
  CHECK(one.returned == 1 && other.returned == 0 && callbacks == 0);
  OK(alpi_task_unblock(one.task));
  OK(alpi_task_unblock(other.task));
  while (other.returned != 1) OK(alpi_task_waitfor_ns(0, NULL));
  pthread_t thread;
  CHECK(pthread_create(&thread, NULL, unblock_from_outside, other.task) == 0);
  await_callbacks(2);
  CHECK(pthread_join(thread, NULL) == 0);
  CHECK(one.returned == 2 && other.returned == 2);
}

static void an_unblock_may_come_first(void) {
  struct alpi_task *const mine = self();
  OK(alpi_task_unblock(mine));
  OK(alpi_task_block(mine));
}

static void blocks_another(void *task) {
  uint64_t has_any = 0;
  FAILS(ALPI_ERR_PARAMETER, alpi_task_block(task), "not the task that calls");
  FAILS(ALPI_ERR_PARAMETER, alpi_task_events_increase(task, 1), "not the task that calls");
  FAILS(ALPI_ERR_PARAMETER, alpi_task_events_test(task, &has_any), "not the task that calls");
  FAILS(ALPI_ERR_PARAMETER, alpi_task_suspend(task), "not the task that calls");
  FAILS(ALPI_ERR_PARAMETER, alpi_task_suspend_mode_set(task, ALPI_SUSPEND_NONE, 0), "not the task that calls");
}

static void waits_take_their_time(void) {
  uint64_t actual = 0;
  OK(alpi_task_waitfor_ns(3000000, &actual));
  CHECK(actual >= 3000000);
  OK(alpi_task_waitfor_ns(0, &actual));
}

/* ---- events -------------------------------------------------------------------------------------- */

struct eventful {
  _Atomic(struct alpi_task *) task;
  atomic_bool body_ended;
};

static void has_three_events(void *argument) {
  struct eventful *const mine = argument;
  struct alpi_task *const task = self();
  uint64_t has_any = 7;
  OK(alpi_task_events_test(task, &has_any));
  CHECK(has_any == 0);
  OK(alpi_task_events_increase(task, 1));
  OK(alpi_task_events_test(task, &has_any));
  CHECK(has_any == 1);
  OK(alpi_task_events_decrease(task, 1));
  OK(alpi_task_events_test(task, &has_any));
  CHECK(has_any == 0);
  OK(alpi_task_events_increase(task, 2));
  OK(alpi_task_events_increase(task, 1));
  OK(alpi_task_events_increase(task, 0));
  mine->body_ended = true;
  mine->task = task;
}

static void *fulfil_from_outside(void *task) {
  OK(alpi_task_events_decrease(task, 2));
  return NULL;
}

static void await_end_of_body(struct eventful *one) {
  while (one->task == NULL) OK(alpi_task_waitfor_ns(0, NULL));
  OK(alpi_task_waitfor_ns(2000000, NULL));
  CHECK(one->body_ended);
}

static void fulfil(struct alpi_task *task) {
  pthread_t thread;
  CHECK(pthread_create(&thread, NULL, fulfil_from_outside, task) == 0);
  OK(alpi_task_events_decrease(task, 0));
  CHECK(pthread_join(thread, NULL) == 0);
}

static void a_task_completes_with_its_last_event(void) {
  struct eventful one = {NULL, false};
  spawn(has_three_events, &one);
  await_end_of_body(&one);
  fulfil(one.task);
  OK(alpi_task_waitfor_ns(2000000, NULL));
  CHECK(callbacks == 0);
  OK(alpi_task_events_decrease(one.task, 1));
  await_callbacks(1);
}

static void a_joiner_waits_for_the_events(void) {
  struct eventful one = {NULL, false};
  weft_thread *thread = NULL;
  CHECK(weft_thread_create(has_three_events, &one, NULL, &thread) == WEFT_OK);
  await_end_of_body(&one);
  CHECK(weft_thread_try_join(thread) == WEFT_BUSY);
  fulfil(one.task);
  OK(alpi_task_waitfor_ns(2000000, NULL));
  CHECK(weft_thread_try_join(thread) == WEFT_BUSY);
  OK(alpi_task_events_decrease(one.task, 1));
  CHECK(weft_thread_join(thread) == WEFT_OK);
}

static void fulfils_one(void *task) { OK(alpi_task_events_decrease(task, 1)); }

static void many_fulfil(void) {
  enum { count = 500 };
  struct alpi_task *const mine = self();
  uint64_t has_any = 1;
  OK(alpi_task_events_increase(mine, count));
  for (int i = 0; i < count; ++i) spawn(fulfils_one, mine);
  await_callbacks(count);
  OK(alpi_task_events_test(mine, &has_any));
  CHECK(has_any == 0);
  FAILS(ALPI_ERR_PARAMETER, alpi_task_events_decrease(mine, (uint64_t)UINT32_MAX + 1), "decrement");
}

/* ---- suspended tasks ----------------------------------------------------------------------------- */

struct suspended {
  _Atomic(struct alpi_task *) task;
  atomic_int calls;
  alpi_suspend_mode_t mode;
  uint64_t argument;
};

static void is_called_three_times(void *argument) {
  struct suspended *const mine = argument;
  struct alpi_task *const task = self();
  CHECK(mine->task == NULL || mine->task == task);
  mine->task = task;
  if (++mine->calls == 3) return;
  OK(alpi_task_suspend_mode_set(task, mine->mode, mine->argument));
  OK(alpi_task_suspend(task));
  if (mine->mode == ALPI_SUSPEND_EVENT_SUBMIT) OK(alpi_task_events_increase(task, 2));
}

static void suspended_tasks_run_again(void) {
  const struct suspended cases[] = {
      {NULL, 0, ALPI_SUSPEND_SUBMIT, 0}, {NULL, 0, ALPI_SUSPEND_SUBMIT, 1}, {NULL, 0, ALPI_SUSPEND_TIMEOUT_SUBMIT, 2000000}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    struct suspended one = {NULL, 0, cases[i].mode, cases[i].argument};
    const uint64_t since = weft_now_ns();
    spawn(is_called_three_times, &one);
    await_callbacks(1);
    CHECK(one.calls == 3);
    if (one.mode == ALPI_SUSPEND_TIMEOUT_SUBMIT) CHECK(weft_now_ns() - since >= 2 * one.argument);
  }
}

static void await_call(struct suspended *one, int call) {
  while (one->calls != call) OK(alpi_task_waitfor_ns(0, NULL));
  OK(alpi_task_waitfor_ns(2000000, NULL));
  CHECK(one->calls == call);
}

static void suspended_tasks_wait_to_be_unblocked(void) {
  struct suspended one = {NULL, 0, ALPI_SUSPEND_NONE, 0};
  spawn(is_called_three_times, &one);
  for (int call = 1; call < 3; ++call) {
    await_call(&one, call);
    OK(alpi_task_unblock(one.task));
  }
  await_callbacks(1);
}

static void suspended_tasks_wait_for_events(void) {
  struct suspended one = {NULL, 0, ALPI_SUSPEND_EVENT_SUBMIT, 0};
  spawn(is_called_three_times, &one);
  for (int call = 1; call < 3; ++call) {
    await_call(&one, call);
    OK(alpi_task_events_decrease(one.task, 1));
    await_call(&one, call);
    OK(alpi_task_events_decrease(one.task, 1));
  }
  await_callbacks(1);
}

/* ---- forks --------------------------------------------------------------------------------------- */

/* Whether the caller is a task, and which. */
struct view {
  struct alpi_task *mine;
  atomic_bool *is_running;
};

static void looks(void *view) {
  struct view *const one = view;
  *one->is_running = true;
  one->mine = self();
  if (one->mine == NULL) {
    FAILS(ALPI_ERR_OUTSIDE_TASK, alpi_task_waitfor_ns(0, NULL), "not a task");
  } else {
    OK(alpi_task_waitfor_ns(0, NULL));
  }
}

static void forks_that_others_take_are_outside(unsigned workers) {
  struct alpi_task *const mine = self();
  atomic_bool is_running = false;
  struct view view = {NULL, &is_running};
  weft_forked *const forked = weft_fork(looks, &view, sizeof view);
  const bool waits = workers > 1 && getenv("WEFT_SCHEDULE") == NULL;
  while (waits && !is_running) continue; /* another worker takes it */
  weft_fork_join(forked, looks, &view, sizeof view);
  CHECK(view.mine == NULL || view.mine == mine);
  if (waits) CHECK(view.mine == NULL);
  if (workers == 1) CHECK(view.mine == mine);
}

/* ---- arguments, labels --------------------------------------------------------------------------- */

static void is_named(void *argument) {
  CHECK(strcmp(weft_thread_get_name(weft_self()), "polls the network") == 0);
  CHECK(*(int *)argument == 5);
}

static void nothing(void *argument) { (void)argument; }

static void has_another_task(void *argument) {
  CHECK(self() != NULL && self() != argument);
  OK(alpi_task_waitfor_ns(1000, NULL));
  count_callback(NULL);
}

static void callbacks_may_block_and_be_tasks(void) {
  OK(alpi_task_spawn(nothing, NULL, has_another_task, self(), NULL, NULL));
  await_callbacks(1);
}

static void arguments(void) {
  int five = 5;
  struct alpi_task *const mine = self();
  struct alpi_attr *attr = NULL;
  OK(alpi_attr_create(&attr));
  OK(alpi_task_spawn(is_named, &five, count_callback, NULL, "polls the network", attr));
  await_callbacks(1);
  OK(alpi_attr_destroy(attr));
  FAILS(ALPI_ERR_PARAMETER, alpi_task_spawn(NULL, NULL, nothing, NULL, NULL, NULL), "argument body");
  FAILS(ALPI_ERR_PARAMETER, alpi_task_spawn(nothing, NULL, NULL, NULL, NULL, NULL), "argument completion_callback");
  FAILS(ALPI_ERR_PARAMETER, alpi_task_block(NULL), "argument task");
  FAILS(ALPI_ERR_PARAMETER, alpi_task_unblock(NULL), "argument task");
  FAILS(ALPI_ERR_PARAMETER, alpi_task_events_decrease(NULL, 1), "argument task");
  FAILS(ALPI_ERR_PARAMETER, alpi_task_events_test(mine, NULL), "argument has_events");
  FAILS(ALPI_ERR_PARAMETER, alpi_task_suspend_mode_set(mine, (alpi_suspend_mode_t)4, 0), "suspend_mode");
  FAILS(ALPI_ERR_PARAMETER, alpi_task_suspend(mine), "no body");
  spawn(blocks_another, mine);
  await_callbacks(1);
}

int main(void) {
  for (unsigned workers = 1; workers <= 2; ++workers) {
    start(workers);
    blocked_tasks_go_on_when_unblocked();
    an_unblock_may_come_first();
    waits_take_their_time();
    a_task_completes_with_its_last_event();
    a_joiner_waits_for_the_events();
    many_fulfil();
    suspended_tasks_run_again();
    suspended_tasks_wait_to_be_unblocked();
    suspended_tasks_wait_for_events();
    forks_that_others_take_are_outside(workers);
    callbacks_may_block_and_be_tasks();
    arguments();
    CHECK(weft_finalize() == WEFT_OK);
  }
  return 0;
}
