/* Chapel's tasking layer on Weft: what chpl-tasks.h asks of a layer by macros. It includes this file
 * after its own types, and declares the functions that have no macro here. */
#ifndef CHPL_WEFT_TASKS_IMPL_FNS_H /* SPDX-License-Identifier: BSD-3-Clause */
#define CHPL_WEFT_TASKS_IMPL_FNS_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Returns how many workers run tasks.
 * Returns: the number; 0 before chpl_task_init and after chpl_task_exit. */
uint32_t chpl_weft_worker_count(void);

/* Tells whether a worker runs the caller.
 * Returns: 1 in a task, 0 on an OS thread outside, such as the communication layer's. */
uint32_t chpl_weft_is_on_worker(void);

/* Tells whether a task that has started may go on on another OS thread.
 * Returns: 0 if CHPL_RT_WEFT_TASKS_STAY asked that it may not, else 1. */
uint32_t chpl_weft_tasks_move(void);

#define CHPL_TASK_IMPL_GET_FIXED_NUM_THREADS() chpl_weft_worker_count()
#define CHPL_TASK_IMPL_HAS_FIXED_NUM_THREADS() 1
#define CHPL_TASK_IMPL_IS_FIXED_THREAD() chpl_weft_is_on_worker()
#define CHPL_TASK_IMPL_CAN_MIGRATE_THREADS() chpl_weft_tasks_move()

#ifdef __cplusplus
}
#endif

#endif
