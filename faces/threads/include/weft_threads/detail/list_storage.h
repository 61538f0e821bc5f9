/* Weft: where a list keeps its tasks: inside, or in one block with room for a handle each. Shared by all implementations of threads.h. */
#ifndef WEFT_THREADS_DETAIL_LIST_STORAGE_H /* SPDX-License-Identifier: BSD-3-Clause */
#define WEFT_THREADS_DETAIL_LIST_STORAGE_H

#include <stdlib.h>
#include <string.h>

#include <weft_threads/detail/fail.h>
#include <weft_threads/types.h>

static inline threads_task *threads_list_tasks(threads_list *list) { return list->tasks != NULL ? list->tasks : list->inside; }

/* Room for a word for each task, beside the others'. */
static inline void **threads_list_handles(threads_list *list) {
  return list->tasks != NULL ? (void **)(void *)(list->tasks + list->capacity) : (void **)(void *)list->opaque;
}

static inline threads_status threads_list_grow(threads_list *list, size_t count) {
  size_t capacity = list->tasks != NULL ? list->capacity : THREADS_TASKS_INSIDE;
  if (count <= capacity) return THREADS_OK;
  if (count < 2 * capacity) count = 2 * capacity;
  if (count > SIZE_MAX / (sizeof(threads_task) + sizeof(void *))) return THREADS_NOMEM;
  threads_task *const tasks = (threads_task *)malloc(count * (sizeof(threads_task) + sizeof(void *)));
  if (tasks == NULL) return THREADS_NOMEM;
  memcpy(tasks, threads_list_tasks(list), list->count * sizeof *tasks);
  free(list->tasks);
  list->tasks = tasks;
  list->capacity = count;
  return THREADS_OK;
}

static inline threads_status threads_list_is_started(const char *call, const threads_list *list) {
  return threads_fail_at(THREADS_BUSY, call, "list", "it was started, and not waited for (%p)", list);
}

/* call: in whose name. */
static inline threads_status threads_list_append(const char *call, threads_list *list, threads_function function, void *arguments,
                                                 size_t stride, size_t count) {
  if (list == NULL) return threads_fail_on_null(call, "list");
  if (function == NULL) return threads_fail_on_null(call, "function");
  if (list->started) return threads_list_is_started(call, list);
  if (count > SIZE_MAX - list->count || threads_list_grow(list, list->count + count) != THREADS_OK)
    return threads_fail_without_memory(call);
  threads_task *const tasks = threads_list_tasks(list) + list->count;
  for (size_t i = 0; i < count; ++i) {
    tasks[i].function = function;
    tasks[i].argument = i == 0 || stride == 0 ? arguments : (char *)arguments + i * stride;
  }
  list->count += count;
  return THREADS_OK;
}

static inline threads_status threads_list_free(threads_list *list) {
  if (list == NULL) return threads_fail_on_null("threads_list_destroy", "list");
  if (list->started) return threads_list_is_started("threads_list_destroy", list);
  free(list->tasks);
  list->tasks = NULL;
  list->count = list->capacity = 0;
  return THREADS_OK;
}

static inline void threads_list_ended(threads_list *list) {
  list->started = false;
  list->count = 0;
}

#endif
