/* Stand-in for Chapel 2.9: functions that are called as tasks come and go. */
#ifndef STAND_IN_CHPL_TASKS_CALLBACKS_INTERNAL_H
#define STAND_IN_CHPL_TASKS_CALLBACKS_INTERNAL_H

#include "chpltypes.h"

typedef enum {
  chpl_task_cb_event_kind_create,
  chpl_task_cb_event_kind_begin,
  chpl_task_cb_event_kind_end
} chpl_task_cb_event_kind_t;

int chpl_task_have_callbacks(chpl_task_cb_event_kind_t event);
void chpl_task_do_callbacks(chpl_task_cb_event_kind_t event, chpl_fn_int_t fid, int32_t filename, int lineno, uint64_t id,
                            int is_on);

#endif
