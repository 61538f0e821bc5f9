/* Stand-in for Chapel 2.9: what a communication layer tells. */
#ifndef STAND_IN_CHPL_COMM_H
#define STAND_IN_CHPL_COMM_H

#include "chpl-tasks.h"

typedef struct {
  chpl_arg_bundle_kind_t kind;
  int32_t caller;
  chpl_task_bundle_t task_bundle; /* last: its payload follows */
} chpl_comm_on_bundle_t;

extern c_nodeid_t chpl_nodeID;
extern int32_t chpl_numNodes;
int32_t chpl_comm_getMaxThreads(void);

#endif
