/* Lists: the queue's records lie in the list's own tasks, the waiters in the list itself. */
#include "engine.h"

#include <weft_threads/detail/fail.h>
#include <weft_threads/detail/list_storage.h>
#include <weft_threads/os/list.h>

_Static_assert(sizeof(struct os_task) <= sizeof(threads_task), "a task of a list holds the queue's record");
_Static_assert(sizeof(struct os_group) <= sizeof(((threads_list *)NULL)->opaque), "a list holds those who wait");

static struct os_task *task_at(threads_list *list, size_t index) {
  return (struct os_task *)(void *)&threads_list_tasks(list)[index];
}

static struct os_group *group_of(threads_list *list) { return (struct os_group *)(void *)list->opaque; }

threads_status threads_os_list_start(threads_list *list) {
  if (list == NULL) return threads_fail_on_null("threads_list_start", "list");
  if (list->started) return threads_list_is_started("threads_list_start", list);
  *group_of(list) = (struct os_group){PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, list->count};
  list->started = true;
  if (list->count == 0) return THREADS_OK;
  for (size_t i = 0; i < list->count; ++i) {
    struct os_task *const task = task_at(list, i);
    task->next = i + 1 < list->count ? task_at(list, i + 1) : NULL;
    task->group = group_of(list);
    task->is_own_block = false;
  }
  os_queue_push(task_at(list, 0), task_at(list, list->count - 1), list->count);
  return THREADS_OK;
}

/* The parent's part: the last ones first, which others come to last. */
static void run_those_not_started(threads_list *list) {
  for (size_t i = list->count; i-- != 0;) {
    if (!os_queue_take_back(task_at(list, i))) continue;
    os_task_run(task_at(list, i));
    os_queue_ran();
  }
}

threads_status threads_os_list_wait(threads_list *list) {
  if (list == NULL) return threads_fail_on_null("threads_list_wait", "list");
  if (!list->started) {
    const threads_status status = threads_os_list_start(list);
    if (status != THREADS_OK) return threads_fail_as(status, "threads_list_wait");
  }
  os_queue_blocked(1);
  if (os_queue_settings()->parents_help) run_those_not_started(list);
  os_group_wait(group_of(list));
  os_queue_blocked(-1);
  pthread_mutex_destroy(&group_of(list)->mutex);
  pthread_cond_destroy(&group_of(list)->ended);
  threads_list_ended(list);
  return THREADS_OK;
}
