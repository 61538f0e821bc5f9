/* Stand-in for Chapel 2.9: a task's bundle alone, or within one of the communication layer. */
#ifndef STAND_IN_CHPL_ARG_BUNDLE_H
#define STAND_IN_CHPL_ARG_BUNDLE_H

#include "chpl-comm.h"
#include "chpl-tasks.h"

static inline chpl_task_bundle_t *chpl_argBundleTaskArgBundle(void *argument) {
  return *(chpl_arg_bundle_kind_t *)argument == CHPL_ARG_BUNDLE_KIND_TASK ? argument
                                                                          : &((chpl_comm_on_bundle_t *)argument)->task_bundle;
}

#endif
