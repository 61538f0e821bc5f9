/* Stand-in for Chapel 2.9: the interface of a tasking layer. There are no lists and no counts. */
#ifndef STAND_IN_CHPL_TASKS_H
#define STAND_IN_CHPL_TASKS_H

#include "chpltypes.h"

#include "chpl-prginfo.h"
#include "chpl-tasks-impl.h"

/* What a communication layer keeps for each task. */
typedef struct {
  int64_t last_acquire;
} chpl_comm_taskPrvData_t;

typedef struct {
  chpl_comm_taskPrvData_t comm_data;
} chpl_task_infoRuntime_t;

typedef struct {
  unsigned char data[32];
} chpl_task_infoChapel_t;

typedef struct chpl_task_bundle {
  chpl_arg_bundle_kind_t kind;
  chpl_bool is_executeOn;
  int32_t lineno;
  int32_t filename;
  c_sublocid_t requestedSubloc;
  chpl_fn_int_t requested_fid;
  chpl_fn_p requested_fn;
  chpl_taskID_t id;
  chpl_task_infoChapel_t infoChapel;
} chpl_task_bundle_t;

#include "chpl-tasks-impl-fns.h"

void chpl_sync_lock(chpl_sync_aux_t *sync);
void chpl_sync_unlock(chpl_sync_aux_t *sync);
void chpl_sync_waitFullAndLock(chpl_sync_aux_t *sync, int32_t lineno, int32_t filename);
void chpl_sync_waitEmptyAndLock(chpl_sync_aux_t *sync, int32_t lineno, int32_t filename);
void chpl_sync_markAndSignalFull(chpl_sync_aux_t *sync);
void chpl_sync_markAndSignalEmpty(chpl_sync_aux_t *sync);
chpl_bool chpl_sync_isFull(void *value, chpl_sync_aux_t *sync);
void chpl_sync_initAux(chpl_sync_aux_t *sync);
void chpl_sync_destroyAux(chpl_sync_aux_t *sync);

void chpl_task_init(void);
void chpl_task_exit(void);
void chpl_task_callMain(void (*function)(void));
int chpl_task_createCommTask(chpl_fn_p function, void *argument, int cpu);

void chpl_rt_task_add_task(chpl_rt_prginfo *program, chpl_fn_int_t fid, chpl_task_bundle_t *bundle, size_t size,
                           c_sublocid_t full_subloc, int32_t lineno, int32_t filename);
void chpl_rt_task_task_ftable_call(chpl_rt_prginfo *program, chpl_fn_int_t fid, void *argument, size_t size, c_sublocid_t subloc,
                                   int32_t lineno, int32_t filename);
void chpl_task_startMovedTask(chpl_fn_int_t fid, chpl_fn_p function, void *argument, size_t size, c_sublocid_t subloc,
                              chpl_taskID_t id);

c_sublocid_t chpl_task_getSubloc(void);
void chpl_task_setSubloc(c_sublocid_t subloc);
c_sublocid_t chpl_task_getRequestedSubloc(void);
chpl_taskID_t chpl_task_getId(void);
chpl_bool chpl_task_idEquals(chpl_taskID_t one, chpl_taskID_t other);
char *chpl_task_idToString(char *buffer, size_t size, chpl_taskID_t id);
void chpl_task_sleep(double seconds);
chpl_task_infoRuntime_t *chpl_task_getInfoRuntime(void);
chpl_task_infoChapel_t *chpl_task_getInfoChapel(void);

uint32_t chpl_task_getMaxPar(void);
size_t chpl_task_getCallStackSize(void);
chpl_bool chpl_task_guardPagesInUse(void);

/* What Chapel's own code has for all layers. */
int32_t chpl_task_getenvNumThreadsPerLocale(void);
size_t chpl_task_getEnvCallStackSize(void);
size_t chpl_task_getDefaultCallStackSize(void);

#endif
