/* Chapel's tasking layer on Weft: the types that a layer defines for chpl-tasks.h, which includes
 * this file. Nothing of Weft is included here, so that generated programs compile without its
 * headers. */
#ifndef CHPL_WEFT_TASKS_IMPL_H /* SPDX-License-Identifier: BSD-3-Clause */
#define CHPL_WEFT_TASKS_IMPL_H

#include <pthread.h> /* chpl-comm-diags.h takes it from its tasking layer */
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The communication layer lets other tasks run while it polls. */
#define CHPL_COMM_YIELD_TASK_WHILE_POLLING
void chpl_task_yield(void);

/* A task's number, from 1, which it gets when it is first asked for. */
typedef uint64_t chpl_taskID_t;
#define chpl_nullTaskID 0
#ifndef CHPL_TASK_ID_STRING_MAX_LEN
#define CHPL_TASK_ID_STRING_MAX_LEN 21 /* 2^64 has 20 digits */
#endif

/* What a sync or single variable has beside its value.
 *
 * There is one token. While no task holds the variable's lock, the token lies in the word that
 * stands for the variable's state; a task that holds the lock has taken it out. Each word is a
 * weft_syncvar, where tasks wait in the order in which they came. A variable needs no memory
 * besides, and no table. */
typedef struct {
  uint64_t full_token;  /* a weft_syncvar: full if the variable is full and not locked */
  uint64_t empty_token; /* a weft_syncvar: full if the variable is empty and not locked */
  int32_t is_full;      /* the holder of the lock writes it */
  int32_t spare;
} chpl_sync_aux_t;

#ifdef __cplusplus
}
#endif

#endif
