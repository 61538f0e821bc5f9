/* Threads, tasks of lists, and what each is to itself. */
#include "calls.h"

#include <sched.h>
#include <stdlib.h>

#include <weft_threads/detail/list_storage.h>

#include "../clock.h"
#include "../keys.h"

struct threads_thread {
  threads_function function;
  void *argument;
  bool is_joined;
  aligned_t ended; /* full when it has; Qthreads fills it */
};

/* On the stack of its thread, found through Qthreads' task-local pointer. */
struct self {
  const struct threads_thread *thread; /* null: a task of a list, or the adopted caller */
  struct key_values *values;
};

static size_t living; /* atomic */

bool is_outside(void) { return qthread_shep() == NO_SHEPHERD; }

static struct self **self_place(void) { return (struct self **)qthread_get_tasklocal(sizeof(struct self *)); }

/* call: in whose name. */
static threads_status status_of(const char *call, int code) {
  if (code == QTHREAD_SUCCESS) return THREADS_OK;
  if (code == QTHREAD_MALLOC_ERROR) return threads_fail_without_memory(call);
  return threads_fail(THREADS_INVALID, call, NULL, "Qthreads refused it with its error %d", (uint64_t)code);
}

static void run(threads_function function, void *argument, const struct threads_thread *thread) {
  struct self self = {thread, NULL};
  *self_place() = &self;
  function(argument);
  if (self.values != NULL) key_values_end(self.values);
}

/* ---- the adopted caller ---------------------------------------------------------------------- */

static struct self caller;

threads_status adopt_caller(void) {
  caller = (struct self){NULL, NULL};
  *self_place() = &caller;
  return THREADS_OK;
}

void release_caller(void) {
  if (caller.values != NULL) key_values_end(caller.values);
  caller.values = NULL;
  keys_clear();
}

void wait_for_all_threads(void) {
  while (__atomic_load_n(&living, __ATOMIC_ACQUIRE) != 0) qthread_yield();
}

/* ---- threads --------------------------------------------------------------------------------- */

static aligned_t run_thread(void *given) {
  struct threads_thread *const thread = given;
  run(thread->function, thread->argument, thread);
  if (!thread->is_joined) free(thread);
  __atomic_fetch_sub(&living, 1, __ATOMIC_RELEASE); /* pairs with wait_for_all_threads */
  return 0;
}

threads_status threads_create(threads_function function, void *argument, threads_thread **out) {
  if (function == NULL) return threads_fail_on_null("threads_create", "function");
  struct threads_thread *const thread = malloc(sizeof *thread);
  if (thread == NULL) return threads_fail_without_memory("threads_create");
  *thread = (struct threads_thread){.function = function, .argument = argument, .is_joined = out != NULL};
  __atomic_fetch_add(&living, 1, __ATOMIC_RELAXED);
  const int code = qthread_fork(run_thread, thread, out != NULL ? &thread->ended : NULL);
  if (code != QTHREAD_SUCCESS) {
    __atomic_fetch_sub(&living, 1, __ATOMIC_RELAXED);
    free(thread);
    return status_of("threads_create", code);
  }
  if (out != NULL) *out = thread;
  return THREADS_OK;
}

threads_status threads_join(threads_thread *thread) {
  if (thread == NULL) return threads_fail_on_null("threads_join", "thread");
  if (!is_outside() && (*self_place())->thread == thread)
    return threads_fail_at(THREADS_DEADLOCK, "threads_join", "thread", "it is the caller (%p)", thread);
  const int code = qthread_readFF(NULL, &thread->ended);
  if (code != QTHREAD_SUCCESS) return status_of("threads_join", code);
  free(thread);
  return THREADS_OK;
}

uint64_t threads_self_id(void) { return is_outside() ? 0 : (uint64_t)qthread_id() + 1; }

bool threads_self_compare(const threads_thread *thread) {
  return thread != NULL && !is_outside() && (*self_place())->thread == thread;
}

void threads_yield(void) {
  if (is_outside()) {
    sched_yield();
  } else {
    qthread_yield();
  }
}

/* Qthreads has no timers: a thread that sleeps yields until it is time. */
threads_status threads_sleep_ns(uint64_t interval_ns) {
  const uint64_t deadline = clock_deadline_in(interval_ns);
  if (is_outside()) {
    clock_sleep_until(deadline);
    return THREADS_OK;
  }
  while (clock_now_ns() < deadline) qthread_yield();
  return THREADS_OK;
}

/* ---- lists: a count, and a word that the last task fills ------------------------------------- */

struct group {
  size_t remaining; /* atomic */
  aligned_t ended;
};

static struct group *group_of(threads_list *list) { return (struct group *)(void *)list->opaque; }

static aligned_t run_task(void *given) {
  const threads_task *const task = given;
  struct group *const group = task->opaque[0];
  run(task->function, task->argument, NULL);
  aligned_t *const ended = &group->ended;
  /* acq_rel: what the tasks wrote, to the last one and so to the parent */
  if (__atomic_sub_fetch(&group->remaining, 1, __ATOMIC_ACQ_REL) == 0) qthread_fill(ended);
  __atomic_fetch_sub(&living, 1, __ATOMIC_RELEASE); /* pairs with wait_for_all_threads */
  return 0;
}

/* Tasks that could not be made do not run; the others must have ended before the list is as it
 * was. */
static threads_status give_up(threads_list *list, size_t made, int code) {
  const size_t missing = list->count - made;
  if (__atomic_sub_fetch(&group_of(list)->remaining, missing, __ATOMIC_ACQ_REL) != 0)
    qthread_readFF(NULL, &group_of(list)->ended);
  qthread_fill(&group_of(list)->ended);
  return status_of("threads_list_start", code);
}

threads_status threads_list_start(threads_list *list) {
  if (list == NULL) return threads_fail_on_null("threads_list_start", "list");
  if (list->started) return threads_list_is_started("threads_list_start", list);
  *group_of(list) = (struct group){list->count, 0};
  if (list->count != 0) qthread_empty(&group_of(list)->ended);
  threads_task *const tasks = threads_list_tasks(list);
  for (size_t i = 0; i < list->count; ++i) {
    tasks[i].opaque[0] = group_of(list);
    __atomic_fetch_add(&living, 1, __ATOMIC_RELAXED);
    const int code = qthread_fork(run_task, &tasks[i], NULL);
    if (code == QTHREAD_SUCCESS) continue;
    __atomic_fetch_sub(&living, 1, __ATOMIC_RELAXED);
    return give_up(list, i, code);
  }
  list->started = true;
  return THREADS_OK;
}

threads_status threads_list_wait(threads_list *list) {
  if (list == NULL) return threads_fail_on_null("threads_list_wait", "list");
  if (!list->started) {
    const threads_status status = threads_list_start(list);
    if (status != THREADS_OK) return threads_fail_as(status, "threads_list_wait");
  }
  if (list->count != 0) {
    const int code = qthread_readFF(NULL, &group_of(list)->ended);
    if (code != QTHREAD_SUCCESS) return status_of("threads_list_wait", code);
  }
  threads_list_ended(list);
  return THREADS_OK;
}

/* ---- values of keys -------------------------------------------------------------------------- */

threads_status threads_key_create(void (*destructor)(void *value), threads_key *out) { return keys_create(destructor, out); }
threads_status threads_key_delete(threads_key key) { return keys_delete(key); }

threads_status threads_key_set(threads_key key, void *value) {
  if (!key_is_living(key)) return threads_fail(THREADS_INVALID, "threads_key_set", "key", "there is no key %u", key.opaque[0]);
  if (is_outside())
    return threads_fail(THREADS_UNSUPPORTED, "threads_key_set", NULL, "the caller is no thread of this interface", 0);
  struct self *const self = *self_place();
  if (self->values == NULL) self->values = key_values_new();
  if (self->values == NULL) return threads_fail_without_memory("threads_key_set");
  key_values_set(self->values, key, value);
  return THREADS_OK;
}

void *threads_key_get(threads_key key) { return is_outside() ? NULL : key_values_get((*self_place())->values, key); }
