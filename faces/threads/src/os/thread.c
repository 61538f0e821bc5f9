/* Threads that are made one by one. */
#include "engine.h"

#include <stdlib.h>

#include <weft_threads/detail/fail.h>
#include <weft_threads/os/thread.h>

#include "../clock.h"

struct threads_thread {
  struct os_task task;
  struct os_group group;
};

static threads_status create_unjoined(threads_function function, void *argument) {
  struct os_task *const task = malloc(sizeof *task);
  if (task == NULL) return threads_fail_without_memory("threads_create");
  *task = (struct os_task){.function = function, .argument = argument, .is_own_block = true};
  os_queue_push(task, task, 1);
  return THREADS_OK;
}

threads_status threads_os_create(threads_function function, void *argument, threads_thread **out) {
  if (function == NULL) return threads_fail_on_null("threads_create", "function");
  if (out == NULL) return create_unjoined(function, argument);
  threads_thread *const thread = malloc(sizeof *thread);
  if (thread == NULL) return threads_fail_without_memory("threads_create");
  thread->group = (struct os_group){PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 1};
  thread->task = (struct os_task){.function = function, .argument = argument, .group = &thread->group};
  *out = thread;
  os_queue_push(&thread->task, &thread->task, 1);
  return THREADS_OK;
}

threads_status threads_os_join(threads_thread *thread) {
  if (thread == NULL) return threads_fail_on_null("threads_join", "thread");
  if (os_self_now != NULL && os_self_now->task == &thread->task)
    return threads_fail_at(THREADS_DEADLOCK, "threads_join", "thread", "it is the caller (%p)", thread);
  os_queue_blocked(1);
  if (os_queue_settings()->parents_help && os_queue_take_back(&thread->task)) {
    os_task_run(&thread->task);
    os_queue_ran();
  }
  os_group_wait(&thread->group);
  os_queue_blocked(-1);
  pthread_mutex_destroy(&thread->group.mutex);
  pthread_cond_destroy(&thread->group.ended);
  free(thread);
  return THREADS_OK;
}

bool threads_os_self_compare(const threads_thread *thread) {
  return thread != NULL && os_self_now != NULL && os_self_now->task == &thread->task;
}

threads_status threads_os_sleep_ns(uint64_t interval_ns) {
  os_queue_blocked(1);
  clock_sleep_until(clock_deadline_in(interval_ns));
  os_queue_blocked(-1);
  return THREADS_OK;
}
