/* Weft: threads_list_* on Argobots, inlined. */
#ifndef WEFT_THREADS_ARGOBOTS_LIST_H /* SPDX-License-Identifier: BSD-3-Clause */
#define WEFT_THREADS_ARGOBOTS_LIST_H

#include <weft_threads/argobots/thread.h>
#include <weft_threads/detail/fail.h>
#include <weft_threads/detail/list_calls.h>

/* Undoes a start that failed: those that were made run, as they may not wait for those that were not. */
static inline void threads_argobots_free(ABT_thread *threads, size_t count) {
  for (size_t i = 0; i < count; ++i) ABT_thread_free(&threads[i]);
}

THREADS_NODISCARD static inline threads_status threads_list_start(threads_list *list) {
  if (list == NULL) return threads_fail_on_null("threads_list_start", "list");
  if (list->started) return threads_list_is_started("threads_list_start", list);
  const threads_task *const tasks = threads_list_tasks(list);
  ABT_thread *const threads = (ABT_thread *)(void *)threads_list_handles(list);
  const ABT_pool pool = threads_argobots_pool();
  for (size_t i = 0; i < list->count; ++i) {
    const int code = ABT_thread_create(pool, tasks[i].function, tasks[i].argument, ABT_THREAD_ATTR_NULL, &threads[i]);
    if (code != ABT_SUCCESS) {
      threads_argobots_free(threads, i);
      return threads_of_argobots("threads_list_start", code);
    }
  }
  list->started = true;
  return THREADS_OK;
}

/* Nothing was promised about when they run: a new one at once, its parent later, which is the fastest way here. */
static inline int threads_argobots_create_to(threads_list *list) {
  const threads_task *const tasks = threads_list_tasks(list);
  ABT_thread *const threads = (ABT_thread *)(void *)threads_list_handles(list);
  list->started = true;
  for (size_t i = 0; i < list->count; ++i) {
    const int code =
        ABT_thread_create_to(threads_argobots_pool(), tasks[i].function, tasks[i].argument, ABT_THREAD_ATTR_NULL, &threads[i]);
    if (code == ABT_SUCCESS) continue;
    threads_argobots_free(threads, i);
    list->started = false;
    return code;
  }
  return ABT_SUCCESS;
}

static inline threads_status threads_argobots_start_for_wait(threads_list *list) {
  if (threads_argobots_is_outside()) {
    const threads_status status = threads_list_start(list);
    return status == THREADS_OK ? status : threads_fail_as(status, "threads_list_wait");
  }
  return threads_of_argobots("threads_list_wait", threads_argobots_create_to(list));
}

THREADS_NODISCARD static inline threads_status threads_list_wait(threads_list *list) {
  if (list == NULL) return threads_fail_on_null("threads_list_wait", "list");
  threads_status status = list->started ? THREADS_OK : threads_argobots_start_for_wait(list);
  if (status != THREADS_OK) return status;
  ABT_thread *const threads = (ABT_thread *)(void *)threads_list_handles(list);
  for (size_t i = list->count; i-- != 0 && status == THREADS_OK;)
    status = threads_of_argobots("threads_list_wait", ABT_thread_free(&threads[i]));
  if (status == THREADS_OK) threads_list_ended(list);
  return status;
}

#endif
