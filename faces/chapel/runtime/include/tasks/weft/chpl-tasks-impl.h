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

/* The value of a native sync variable. Chapel's modules know native ones by the names that a layer
 * for Qthreads has; a word is full or empty by a table beside it, and may be read and written by
 * all 64 bits. Each function returns 0; where memory for the state of one more word is not to be
 * had, it ends the program with a line. Tasks and OS threads may call them. A read copies to *out.
 * The first letter is the state for which a call waits, the second the state that it leaves:
 * f is full, e is empty, xx is neither asked for nor changed. */
typedef uint64_t aligned_t;

int chpl_weft_native_read_fe(aligned_t *out, const aligned_t *word);
int chpl_weft_native_read_ff(aligned_t *out, const aligned_t *word);
int chpl_weft_native_read_xx(aligned_t *out, const aligned_t *word);
int chpl_weft_native_write_ef(aligned_t *word, const aligned_t *value);
int chpl_weft_native_write_ff(aligned_t *word, const aligned_t *value);
int chpl_weft_native_write_f(aligned_t *word, const aligned_t *value);  /* does not wait */
int chpl_weft_native_purge_to(aligned_t *word, const aligned_t *value); /* writes and empties */
int chpl_weft_native_fill(const aligned_t *word);
int chpl_weft_native_empty(const aligned_t *word);
int chpl_weft_native_status(const aligned_t *word); /* 1: full */

/* NOLINTBEGIN(readability-identifier-naming): Chapel's modules have these names. */
static inline int qthread_readFE(aligned_t *out, const aligned_t *word) { return chpl_weft_native_read_fe(out, word); }
static inline int qthread_readFF(aligned_t *out, const aligned_t *word) { return chpl_weft_native_read_ff(out, word); }
static inline int qthread_readXX(aligned_t *out, const aligned_t *word) { return chpl_weft_native_read_xx(out, word); }
static inline int qthread_writeEF(aligned_t *word, const aligned_t *value) { return chpl_weft_native_write_ef(word, value); }
static inline int qthread_writeFF(aligned_t *word, const aligned_t *value) { return chpl_weft_native_write_ff(word, value); }
static inline int qthread_writeF(aligned_t *word, const aligned_t *value) { return chpl_weft_native_write_f(word, value); }
static inline int qthread_purge_to(aligned_t *word, const aligned_t *value) { return chpl_weft_native_purge_to(word, value); }
static inline int qthread_fill(const aligned_t *word) { return chpl_weft_native_fill(word); }
static inline int qthread_empty(const aligned_t *word) { return chpl_weft_native_empty(word); }
static inline int qthread_feb_status(const aligned_t *word) { return chpl_weft_native_status(word); }
/* NOLINTEND(readability-identifier-naming) */

#ifdef __cplusplus
}
#endif

#endif
