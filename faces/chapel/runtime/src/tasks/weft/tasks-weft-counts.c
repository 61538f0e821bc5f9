/* Counts of tasks and threads, alike in all versions. */
#include "chplrt.h" /* Chapel's build looks for it here */

#include "weft-layer.h"

static weft_counts counts_now(void) {
  weft_counts counts = WEFT_COUNTS_INIT;
  if (weft_count_threads(&counts) != WEFT_OK) {
    counts = (weft_counts)WEFT_COUNTS_INIT; /* the runtime does not run: there are no tasks */
  }
  return counts;
}

uint32_t chpl_task_getNumQueuedTasks(void) { return (uint32_t)counts_now().ready; }

int32_t chpl_task_getNumBlockedTasks(void) { return (int32_t)counts_now().blocked; }

uint32_t chpl_task_getNumThreads(void) { return weft_worker_count(); }

uint32_t chpl_task_getNumIdleThreads(void) { return counts_now().idle; }

#ifdef CHPL_WEFT_2011

uint32_t chpl_task_getNumRunningTasks(void) {
  const weft_counts counts = counts_now();
  return (uint32_t)(counts.running + counts.blocked);
}

#endif
