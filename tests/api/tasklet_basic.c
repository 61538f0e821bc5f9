/* Tasklets: what they may do, what they may not, and how they are joined. */
#include <string.h>
#include <weft/ext.h>

#include "check.h"

enum { MANY = 1000 };

static weft_thread *start_tasklet(weft_function function, void *argument) {
  weft_thread *made = NULL;
  OK(weft_tasklet_create(function, argument, NULL, &made));
  return made;
}

static void runs_and_is_joined(void) {
  atomic_int count = 0;
  weft_thread *tasklets[MANY];
  for (int i = 0; i < MANY; ++i) tasklets[i] = start_tasklet(add_one, &count);
  for (int i = 0; i < MANY; ++i) OK(weft_thread_join(tasklets[i]));
  CHECK(atomic_load(&count) == MANY);
  for (int i = 0; i < MANY; ++i) tasklets[i] = start_tasklet(add_one, &count);
  OK(weft_thread_join_many(tasklets, MANY));
  CHECK(atomic_load(&count) == 2 * MANY);
  for (int i = 0; i < MANY; ++i) OK(weft_tasklet_create(add_one, &count, NULL, NULL)); /* detached */
  wait_for(&count, 3 * MANY);
  OK(weft_thread_detach(start_tasklet(add_one, &count)));
  wait_for(&count, 3 * MANY + 1);
}

static void look_at_self(void *argument) {
  CHECK(weft_thread_is_tasklet(weft_self()));
  CHECK(weft_thread_get_state(weft_self()) == WEFT_THREAD_RUNNING);
  CHECK(strcmp(weft_thread_get_name(weft_self()), "a tasklet") == 0);
  CHECK(weft_worker_self() == *(int *)argument);
  CHECK(weft_thread_id(weft_self()) != 0);
  weft_yield(); /* does nothing */
  IS(WEFT_DEADLOCK, weft_thread_join(weft_self()));
}

static void heeds_its_attributes(void) {
  int worker = (int)weft_worker_count() - 1;
  weft_thread_attr attr = WEFT_THREAD_ATTR_INIT;
  attr.name = "a tasklet";
  attr.worker = worker;
  attr.keep_fp = true;       /* not heeded */
  attr.stack_bytes = 100000; /* not heeded */
  weft_thread *one;
  OK(weft_tasklet_create(look_at_self, &worker, &attr, &one));
  CHECK(weft_thread_is_tasklet(one));
  OK(weft_thread_join(one));
}

/* ---- what would wait, is refused ---- */

struct obstacles {
  weft_mutex mutex;
  weft_cond cond;
  weft_semaphore semaphore;
  weft_event event;
  weft_future future;
  weft_rwlock rwlock;
  weft_barrier barrier;
  weft_mutex free_mutex;
  weft_once once;       /* its function runs as long as event is not set */
  uint64_t full, empty; /* words */
  weft_syncvar full_var, empty_var;
  weft_thread *thread; /* does not end */
};

/* Besides the calls of run_into: every other one whose comment says WEFT_CANNOT_BLOCK. */
static void run_into_more(struct obstacles *all, uint64_t later) {
  void *value = NULL;
  uint64_t copy = 0;
  OK(weft_mutex_lock(&all->free_mutex));
  IS(WEFT_CANNOT_BLOCK, weft_cond_wait(&all->cond, &all->free_mutex));
  IS(WEFT_CANNOT_BLOCK, weft_cond_wait_until(&all->cond, &all->free_mutex, later));
  OK(weft_mutex_unlock(&all->free_mutex)); /* still held by the caller */
  IS(WEFT_CANNOT_BLOCK, weft_semaphore_acquire_until(&all->semaphore, later));
  IS(WEFT_CANNOT_BLOCK, weft_future_get_until(&all->future, later, &value));
  IS(WEFT_CANNOT_BLOCK, weft_rwlock_read_lock_until(&all->rwlock, later));
  IS(WEFT_CANNOT_BLOCK, weft_rwlock_write_lock(&all->rwlock));
  IS(WEFT_CANNOT_BLOCK, weft_rwlock_write_lock_until(&all->rwlock, later));
  IS(WEFT_CANNOT_BLOCK, weft_once_call(&all->once, nothing, NULL));
  IS(WEFT_CANNOT_BLOCK, weft_feb_read_fe(&all->empty, &copy));
  IS(WEFT_CANNOT_BLOCK, weft_feb_read_ff(&all->empty, &copy));
  IS(WEFT_CANNOT_BLOCK, weft_feb_write_ef(&all->full, 1));
  IS(WEFT_CANNOT_BLOCK, weft_feb_write_ff(&all->empty, 1));
  IS(WEFT_CANNOT_BLOCK, weft_feb_write_ff_until(&all->empty, 1, later));
  IS(WEFT_CANNOT_BLOCK, weft_feb_read_fe_until(&all->empty, later, &copy));
  IS(WEFT_CANNOT_BLOCK, weft_feb_read_ff_until(&all->empty, later, &copy));
  IS(WEFT_CANNOT_BLOCK, weft_feb_write_ef_until(&all->full, 1, later));
  IS(WEFT_CANNOT_BLOCK, weft_syncvar_read_fe_until(&all->empty_var, later, &copy));
  IS(WEFT_CANNOT_BLOCK, weft_syncvar_read_ff_until(&all->empty_var, later, &copy));
  IS(WEFT_CANNOT_BLOCK, weft_syncvar_write_ef_until(&all->full_var, 1, later));
  IS(WEFT_CANNOT_BLOCK, weft_syncvar_write_ff_until(&all->empty_var, 1, later));
  IS(WEFT_CANNOT_BLOCK, weft_sleep_until(later));
  IS(WEFT_CANNOT_BLOCK, weft_worker_remove(weft_worker_count() - 1));
  weft_thread *threads[] = {NULL, all->thread};
  IS(WEFT_CANNOT_BLOCK, weft_thread_join_many(threads, 2));
  IS(WEFT_CANNOT_BLOCK, weft_ext_thread_wait(all->thread));
}

static void run_into(void *argument) {
  struct obstacles *all = argument;
  const uint64_t later = weft_deadline_in(SECOND);
  void *value = NULL;
  IS(WEFT_CANNOT_BLOCK, weft_mutex_lock(&all->mutex));
  IS(WEFT_CANNOT_BLOCK, weft_mutex_lock_until(&all->mutex, later));
  IS(WEFT_BUSY, weft_mutex_try_lock(&all->mutex));
  IS(WEFT_CANNOT_BLOCK, weft_semaphore_acquire(&all->semaphore));
  IS(WEFT_CANNOT_BLOCK, weft_event_wait(&all->event));
  IS(WEFT_CANNOT_BLOCK, weft_event_wait_until(&all->event, later));
  IS(WEFT_CANNOT_BLOCK, weft_future_get(&all->future, &value));
  IS(WEFT_CANNOT_BLOCK, weft_rwlock_read_lock(&all->rwlock));
  IS(WEFT_CANNOT_BLOCK, weft_barrier_wait(&all->barrier, NULL));
  IS(WEFT_CANNOT_BLOCK, weft_thread_join(all->thread));
  IS(WEFT_CANNOT_BLOCK, weft_thread_join_until(all->thread, later));
  IS(WEFT_TIMEOUT, weft_thread_join_until(all->thread, 0));
  IS(WEFT_TIMEOUT, weft_thread_join_until(all->thread, weft_now_ns()));
  IS(WEFT_BUSY, weft_thread_try_join(all->thread));
  IS(WEFT_CANNOT_BLOCK, weft_suspend());
  IS(WEFT_CANNOT_BLOCK, weft_sleep_ns(1));
  IS(WEFT_CANNOT_BLOCK, weft_yield_to(all->thread));
  IS(WEFT_CANNOT_BLOCK, weft_pin(0));
  run_into_more(all, later);
}

static void wait_for_event(void *argument) { OK(weft_event_wait(argument)); }
static void call_once(void *argument) {
  struct obstacles *all = argument;
  OK(weft_once_call(&all->once, wait_for_event, &all->event));
}

static void cannot_wait(void) {
  struct obstacles all = {.event = WEFT_EVENT_INIT};
  OK(weft_mutex_lock(&all.mutex));
  OK(weft_rwlock_write_lock(&all.rwlock));
  OK(weft_barrier_init(&all.barrier, 2));
  OK(weft_feb_empty(&all.empty));
  OK(weft_syncvar_empty(&all.empty_var));
  all.thread = start(call_once, &all);
  wait_for_state(all.thread, WEFT_THREAD_BLOCKED);
  OK(weft_thread_join(start_tasklet(run_into, &all)));
  weft_event_set(&all.event);
  OK(weft_thread_join(all.thread));
  OK(weft_feb_fill(&all.empty));
  weft_rwlock_unlock(&all.rwlock);
  weft_mutex_unlock(&all.mutex);
}

/* ---- what does not wait, works ---- */

static void use_what_is_free(void *argument) {
  struct obstacles *all = argument;
  OK(weft_mutex_lock(&all->mutex));
  weft_mutex_unlock(&all->mutex);
  OK(weft_semaphore_release(&all->semaphore, 2));
  OK(weft_semaphore_acquire(&all->semaphore));
  OK(weft_event_set(&all->event));
  OK(weft_event_wait(&all->event));
  atomic_int count = 0;
  weft_thread *child = start_tasklet(nothing, NULL);
  OK(weft_thread_detach(child));
  OK(weft_thread_create(nothing, NULL, NULL, NULL));
  (void)count;
}

static void may_use_what_is_free(void) {
  struct obstacles all = {.event = WEFT_EVENT_INIT};
  OK(weft_thread_join(start_tasklet(use_what_is_free, &all)));
}

/* A tasklet wakes a thread, a thread joins tasklets that make tasklets. */
static void set_event(void *argument) { OK(weft_event_set(argument)); }

static void wakes_threads(void) {
  for (int round = 0; round < 200; ++round) {
    weft_event event = WEFT_EVENT_INIT;
    weft_thread *waiter = start(wait_for_event, &event);
    if (round % 2 == 0) wait_for_state(waiter, WEFT_THREAD_BLOCKED);
    weft_thread *setter = start_tasklet(set_event, &event);
    OK(weft_thread_join(waiter));
    OK(weft_thread_join(setter));
  }
}

struct tree {
  atomic_int *leaves;
  int depth;
};

static void grow(void *argument) {
  struct tree *self = argument;
  if (self->depth == 0) {
    atomic_fetch_add(self->leaves, 1);
  } else {
    for (int i = 0; i < 2; ++i) {
      struct tree *child = malloc(sizeof *child);
      *child = (struct tree){self->leaves, self->depth - 1};
      OK(weft_tasklet_create(grow, child, NULL, NULL));
    }
  }
  free(self);
}

static void makes_tasklets(void) {
  atomic_int leaves = 0;
  struct tree *root = malloc(sizeof *root);
  *root = (struct tree){&leaves, 10};
  OK(weft_thread_join(start_tasklet(grow, root)));
  wait_for(&leaves, 1 << 10);
}

static void all(void) {
  RUN(runs_and_is_joined);
  RUN(heeds_its_attributes);
  RUN(cannot_wait);
  RUN(may_use_what_is_free);
  RUN(wakes_threads);
  RUN(makes_tasklets);
}

static void all_in_a_thread(void *argument) {
  (void)argument;
  all();
}

static void all_on_a_thread(void) { OK(weft_thread_join(start(all_in_a_thread, NULL))); }

int main(void) {
  with_workers("one worker", 1, all);
  with_workers("four workers", 4, all);
  with_workers("on a thread", 2, all_on_a_thread);
  return 0;
}
