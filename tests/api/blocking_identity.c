/* The caller in a blocking region: for locks and joins it is the thread whose region it is, and
 * neither its OS thread nor another thread that stands there. */
#include <weft/blocking.h>
#include <weft/hot.h>

#include "await_support.h"
#include "check.h"
#include "os_thread.h"

static weft_mutex mutex = WEFT_MUTEX_INIT;
static weft_mutex recursive = WEFT_MUTEX_RECURSIVE_INIT;
static weft_rwlock rwlock = WEFT_RWLOCK_INIT;

static void open_region(void) { OK(weft_blocking_begin()); }
static void close_region(void) { OK(weft_blocking_end()); }

/* ---- a thread that runs on the OS thread of another ---- */

static void is_kept_out(void *argument) {
  (void)argument;
  open_region();
  IS(WEFT_BUSY, weft_mutex_try_lock(&recursive));
  IS(WEFT_NOT_OWNER, weft_mutex_unlock(&recursive));
  close_region();
}

static void keep_others_out(void) {
  OK(weft_mutex_lock(&recursive));
  OK(weft_thread_join(start_pinned(is_kept_out, NULL, weft_worker_self())));
  OK(weft_mutex_unlock(&recursive));
}

static void keep_others_out_of_a_region(void *argument) {
  atomic_int *steps = argument;
  open_region();
  OK(weft_mutex_lock(&recursive));
  atomic_store(steps, 1);
  close_region();
  wait_for(steps, 2);
  OK(weft_mutex_unlock(&recursive));
}

/* Two regions, one after the other, on one OS thread. */
static void what_a_region_holds_stays_its_threads(void) {
  atomic_int steps = 0;
  weft_thread *holder = start_pinned(keep_others_out_of_a_region, &steps, 0);
  wait_for(&steps, 1);
  OK(weft_thread_join(start_pinned(is_kept_out, NULL, 0)));
  is_kept_out(NULL);
  atomic_store(&steps, 2);
  OK(weft_thread_join(holder));
}

/* ---- what a thread holds across an end of its region ---- */

static void lock_before_and_unlock_inside(void) {
  OK(weft_mutex_lock(&mutex));
  OK(weft_mutex_lock(&recursive));
  OK(weft_rwlock_write_lock(&rwlock));
  open_region();
  OK(weft_mutex_unlock(&mutex));
  OK(weft_mutex_unlock(&recursive));
  OK(weft_rwlock_unlock(&rwlock));
  close_region();
}

static void lock_inside_and_unlock_after(void) {
  open_region();
  OK(weft_mutex_lock(&mutex));
  OK(weft_mutex_lock(&recursive));
  OK(weft_rwlock_write_lock(&rwlock));
  close_region();
  OK(weft_mutex_unlock(&mutex));
  OK(weft_mutex_unlock(&recursive));
  OK(weft_rwlock_unlock(&rwlock));
}

static void enter_again_inside(void) {
  OK(weft_mutex_lock(&recursive));
  open_region();
  open_region();
  OK(weft_mutex_lock(&recursive));
  OK(weft_mutex_try_lock(&recursive));
  OK(weft_mutex_unlock(&recursive));
  close_region();
  close_region();
  OK(weft_mutex_unlock(&recursive));
  OK(weft_mutex_unlock(&recursive));
  IS(WEFT_NOT_OWNER, weft_mutex_unlock(&recursive));
}

static void hold_across_ends(void) {
  lock_before_and_unlock_inside();
  lock_inside_and_unlock_after();
  enter_again_inside();
}

static void hold_across_ends_in_thread(void *argument) {
  (void)argument;
  hold_across_ends();
}

static void hold_across_ends_in_fork(void *work) {
  (void)work;
  open_region();
  OK(weft_mutex_lock(&recursive)); /* its forker's identity is its own */
  OK(weft_mutex_unlock(&recursive));
  close_region();
}

static void of_main(void) { hold_across_ends(); }
static void of_a_thread(void) { OK(weft_thread_join(start(hold_across_ends_in_thread, NULL))); }

static void of_forks(void) {
  OK(weft_mutex_lock(&recursive));
  int unused = 0;
  weft_forked *forked[8];
  for (int each = 0; each < 8; ++each) forked[each] = weft_fork(hold_across_ends_in_fork, &unused, sizeof unused);
  hold_across_ends_in_fork(&unused);
  for (int each = 7; each >= 0; --each) weft_fork_join(forked[each], hold_across_ends_in_fork, &unused, sizeof unused);
  OK(weft_mutex_unlock(&recursive));
  IS(WEFT_NOT_OWNER, weft_mutex_unlock(&recursive));
}

static void be_adopted(void *argument) {
  (void)argument;
  OK(weft_mutex_lock(&recursive)); /* as an OS thread outside */
  OK(weft_worker_adopt(NULL));
  open_region();
  OK(weft_mutex_lock(&recursive));
  OK(weft_mutex_unlock(&recursive));
  close_region();
  OK(weft_mutex_unlock(&recursive));
  hold_across_ends();
  keep_others_out();
  OK(weft_worker_leave());
}

static void of_an_adopted_os_thread(void) { on_os_thread(be_adopted, NULL); }

/* ---- what an OS thread outside holds ---- */

static void hold_outside(void *argument) {
  atomic_int *steps = argument;
  OK(weft_mutex_lock(&recursive));
  atomic_store(steps, 1);
  compute_until(steps, 2);
  OK(weft_mutex_unlock(&recursive));
}

static void held_by_an_os_thread_outside(void) {
  atomic_int steps = 0;
  struct os_thread holder;
  begin(&holder, hold_outside, &steps);
  wait_for(&steps, 1);
  is_kept_out(NULL);
  OK(weft_thread_join(start(is_kept_out, NULL)));
  atomic_store(&steps, 2);
  join(&holder);
}

/* ---- joins ---- */

static void join_itself(void *argument) {
  (void)argument;
  weft_thread *self = weft_self();
  open_region();
  IS(WEFT_DEADLOCK, weft_thread_join(self));
  close_region();
}

static void joins_itself(void) { OK(weft_thread_join(start(join_itself, NULL))); }

/* ---- the ready of an awaiter, called inside of a region ---- */

struct inside_call {
  struct wait end; /* first: ready gets its address */
  weft_thread *caller;
};

static void is_no_thread(weft_awaiter *awaiter, weft_status status) {
  struct inside_call *mine = (struct inside_call *)awaiter;
  note(awaiter, status);
  IS(WEFT_BUSY, weft_mutex_try_lock(&recursive));
  IS(WEFT_NOT_OWNER, weft_mutex_unlock(&recursive));
  IS(WEFT_CANNOT_BLOCK, weft_thread_join(mine->caller));
  IS(WEFT_CANNOT_BLOCK, weft_worker_adopt(NULL));
  for (int often = 0; often < 3; ++often) OK(weft_blocking_end()); /* means nothing */
  OK(weft_blocking_begin());
}

static void set_inside(void *argument) {
  (void)argument;
  weft_event event = WEFT_EVENT_INIT;
  struct inside_call one;
  prepare(&one.end, WEFT_AWAIT_EVENT);
  one.end.awaiter.ready = is_no_thread;
  one.caller = weft_self();
  CHECK(arm(&one.end, &event, WEFT_AWAIT_EVENT));
  OK(weft_mutex_lock(&recursive));
  open_region();
  weft_event_set(&event);
  CHECK(one.end.calls == 1 && weft_worker_self() == -1);
  IS(WEFT_BUSY, weft_worker_adopt(NULL)); /* the region is open */
  close_region();
  IS(WEFT_NOT_OWNER, weft_blocking_end());
  OK(weft_mutex_unlock(&recursive));
}

/* On main's OS thread, while main holds the mutex. */
static void is_not_main_inside(weft_awaiter *awaiter, weft_status status) {
  note(awaiter, status);
  IS(WEFT_BUSY, weft_mutex_try_lock(&recursive));
}
static void set_inside_on_mains(void *argument) {
  (void)argument;
  weft_event event = WEFT_EVENT_INIT;
  struct wait end;
  prepare(&end, WEFT_AWAIT_EVENT);
  end.awaiter.ready = is_not_main_inside;
  CHECK(arm(&end, &event, WEFT_AWAIT_EVENT));
  open_region();
  weft_event_set(&event);
  CHECK(end.calls == 1);
  close_region();
}

static void a_ready_has_no_identity(void) {
  set_inside(NULL);
  OK(weft_thread_join(start(set_inside, NULL)));
  OK(weft_mutex_lock(&recursive));
  OK(weft_thread_join(start_pinned(set_inside_on_mains, NULL, weft_worker_self())));
  OK(weft_mutex_unlock(&recursive));
}

static void all(void) {
  RUN(keep_others_out);
  RUN(what_a_region_holds_stays_its_threads);
  RUN(of_main);
  RUN(of_a_thread);
  RUN(of_forks);
  RUN(of_an_adopted_os_thread);
  RUN(held_by_an_os_thread_outside);
  RUN(joins_itself);
  RUN(a_ready_has_no_identity);
}

int main(void) {
  OK(weft_mutex_lock(&recursive)); /* before there is a runtime: main's, then as later */
  init_with(1);
  open_region();
  OK(weft_mutex_lock(&recursive));
  OK(weft_mutex_unlock(&recursive));
  close_region();
  OK(weft_finalize());
  OK(weft_mutex_unlock(&recursive));
  with_workers("one worker", 1, all);
  with_workers("three workers", 3, all);
  CHECK(setenv("WEFT_BLOCKING", "0", 1) == 0); /* another OS thread may take the worker at any time */
  for (int life = 0; life < 5; ++life) with_workers("at once", 2, all);
  CHECK(unsetenv("WEFT_BLOCKING") == 0);
  return 0;
}
