/* Stand-in for Chapel 1.3: the interface of a tasking layer. */
#ifndef STAND_IN_CHPLTASKS_H
#define STAND_IN_CHPLTASKS_H

#include "chplrt.h"

#include CHPL_TASKS_H

void chpl_sync_lock(chpl_sync_aux_t *sync);
void chpl_sync_unlock(chpl_sync_aux_t *sync);
void chpl_sync_waitFullAndLock(chpl_sync_aux_t *sync, int32_t lineno, chpl_string filename);
void chpl_sync_waitEmptyAndLock(chpl_sync_aux_t *sync, int32_t lineno, chpl_string filename);
void chpl_sync_markAndSignalFull(chpl_sync_aux_t *sync);
void chpl_sync_markAndSignalEmpty(chpl_sync_aux_t *sync);
chpl_bool chpl_sync_isFull(void *value, chpl_sync_aux_t *sync, chpl_bool is_simple);
void chpl_sync_initAux(chpl_sync_aux_t *sync);
void chpl_sync_destroyAux(chpl_sync_aux_t *sync);

typedef struct chpl_task_list *chpl_task_list_p;

void chpl_task_init(int32_t threads, uint64_t stack_bytes);
void chpl_task_exit(void);
void chpl_task_perPthreadInit(void);
void chpl_task_callMain(void (*function)(void));
void chpl_task_addToTaskList(chpl_fn_int_t fid, void *argument, chpl_task_list_p *list, int32_t list_locale, chpl_bool is_begin,
                             int lineno, chpl_string filename);
void chpl_task_processTaskList(chpl_task_list_p list);
void chpl_task_executeTasksInList(chpl_task_list_p list);
void chpl_task_freeTaskList(chpl_task_list_p list);
void chpl_task_begin(chpl_fn_p function, void *argument, chpl_bool ignore_serial, chpl_bool is_serial, chpl_task_list_p entry);
chpl_taskID_t chpl_task_getId(void);
void chpl_task_sleep(int seconds);
chpl_bool chpl_task_getSerial(void);
void chpl_task_setSerial(chpl_bool is_serial);
uint64_t chpl_task_getCallStackSize(void);
uint32_t chpl_task_getNumQueuedTasks(void);
uint32_t chpl_task_getNumRunningTasks(void);
int32_t chpl_task_getNumBlockedTasks(void);
int32_t chpl_task_getMaxThreads(void);
int32_t chpl_task_getMaxThreadsLimit(void);
uint32_t chpl_task_getNumThreads(void);
uint32_t chpl_task_getNumIdleThreads(void);

#endif
