/* One task: its run, its identity, and the threads that wait for it. */
#include "engine.h"

#include <stdlib.h>

#include <weft_threads/os/thread.h>

#include "../keys.h"

__thread struct os_self *os_self_now;

static uint64_t last_id;

uint64_t os_new_id(void) { return __atomic_add_fetch(&last_id, 1, __ATOMIC_RELAXED); }

static void group_task_ended(struct os_group *group) {
  pthread_mutex_lock(&group->mutex);
  if (--group->remaining == 0) pthread_cond_signal(&group->ended);
  pthread_mutex_unlock(&group->mutex);
}

void os_task_run(struct os_task *task) {
  struct os_self *const outer = os_self_now; /* of the parent that helps */
  struct os_self self = {0, task, NULL};
  os_self_now = &self;
  task->function(task->argument);
  if (self.values != NULL) key_values_end(self.values);
  os_self_now = outer;
  struct os_group *const group = task->group;
  if (task->is_own_block) free(task);
  if (group != NULL) group_task_ended(group);
}

void os_group_wait(struct os_group *group) {
  pthread_mutex_lock(&group->mutex);
  while (group->remaining != 0) pthread_cond_wait(&group->ended, &group->mutex);
  pthread_mutex_unlock(&group->mutex);
}

uint64_t threads_os_self_id(void) {
  struct os_self *const self = os_self_now;
  if (self == NULL) return 0;
  if (self->id == 0) self->id = os_new_id();
  return self->id;
}
