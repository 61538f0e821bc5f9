/* Weft: threads_list_* on libweft, inlined. Tasks are threads made by one call; those of an anonymous list are forks, unless the parent is
 * outside, where a fork would run in its join alone. */
#ifndef WEFT_THREADS_WEFT_LIST_H /* SPDX-License-Identifier: BSD-3-Clause */
#define WEFT_THREADS_WEFT_LIST_H

#include <weft/hot.h>
#include <weft_threads/detail/fail.h>
#include <weft_threads/detail/list_calls.h>
#include <weft_threads/weft/thread.h>

typedef struct threads_weft_work {
  threads_function function;
  void *argument;
} threads_weft_work;

static inline void threads_weft_run_task(void *given) {
  const threads_task *const task = (const threads_task *)given;
  task->function(task->argument);
}

static inline void threads_weft_run_fork(void *given) {
  const threads_weft_work *const work = (const threads_weft_work *)given;
  work->function(work->argument);
}

/* Behind the handles inside. */
static inline uint64_t *threads_weft_is_forked(threads_list *list) { return &list->opaque[THREADS_TASKS_INSIDE]; }

/* Whether forks run beside the caller. Mostly a look at the hot line answers. */
static inline bool threads_weft_can_fork(void) {
  return weft_hot_load(&weft_hot_here()->bottom, __ATOMIC_RELAXED) != NULL || weft_self() != NULL;
}

static inline void threads_weft_fork(threads_list *list, size_t count) {
  const threads_task *const tasks = threads_list_tasks(list);
  void **const handles = threads_list_handles(list);
  for (size_t i = 0; i < count; ++i) {
    const threads_weft_work work = {tasks[i].function, tasks[i].argument};
    handles[i] = weft_fork(threads_weft_run_fork, &work, sizeof work);
  }
}

static inline void threads_weft_join_forks(threads_list *list, size_t count) {
  const threads_task *const tasks = threads_list_tasks(list);
  void *const *const handles = threads_list_handles(list);
  while (count-- != 0) { /* the last one first is the cheapest */
    threads_weft_work work = {tasks[count].function, tasks[count].argument};
    weft_fork_join((weft_forked *)handles[count], threads_weft_run_fork, &work, sizeof work);
  }
}

THREADS_NODISCARD static inline threads_status threads_list_start(threads_list *list) {
  if (list == NULL) return threads_fail_on_null("threads_list_start", "list");
  if (list->started) return threads_list_is_started("threads_list_start", list);
  const bool is_forked = list->anonymous && threads_weft_can_fork();
  if (is_forked) {
    threads_weft_fork(list, list->count);
  } else if (list->count != 0) {
    weft_thread **const threads = (weft_thread **)(void *)threads_list_handles(list);
    const weft_status status = weft_thread_create_many(threads_weft_run_task, threads_list_tasks(list), sizeof(threads_task),
                                                       list->count, NULL, threads);
    if (status != WEFT_OK) return threads_fail_as(threads_of_weft(status), "threads_list_start");
  }
  *threads_weft_is_forked(list) = is_forked;
  list->started = true;
  return THREADS_OK;
}

/* Tasks that were not started before their parent waits: it can call the last one itself. */
static inline void threads_weft_fork_and_join(threads_list *list) {
  const size_t last = list->count - 1;
  list->started = true;
  threads_weft_fork(list, last);
  threads_weft_run_task(&threads_list_tasks(list)[last]);
  threads_weft_join_forks(list, last);
}

THREADS_NODISCARD static inline threads_status threads_list_wait(threads_list *list) {
  if (list == NULL) return threads_fail_on_null("threads_list_wait", "list");
  if (!list->started && list->anonymous && list->count != 0 && threads_weft_can_fork()) {
    threads_weft_fork_and_join(list);
    threads_list_ended(list);
    return THREADS_OK;
  }
  threads_status status = list->started ? THREADS_OK : threads_list_start(list);
  if (status != THREADS_OK) return threads_fail_as(status, "threads_list_wait");
  if (*threads_weft_is_forked(list) != 0) {
    threads_weft_join_forks(list, list->count);
  } else {
    status = threads_of_weft(weft_thread_join_many((weft_thread **)(void *)threads_list_handles(list), list->count));
  }
  if (status != THREADS_OK) return threads_fail_as(status, "threads_list_wait");
  threads_list_ended(list);
  return THREADS_OK;
}

#endif
