/* What the files of Chapel's tasking layer on Weft share. Only they include it. */
#ifndef CHPL_WEFT_LAYER_H /* SPDX-License-Identifier: BSD-3-Clause */
#define CHPL_WEFT_LAYER_H

#include "chplrt.h"

#ifdef CHPL_TASKS_H /* the build of 1.3 names the layer's header so */
#define CHPL_WEFT_2011 1
#include "chpltasks.h"
#else
#include "chpl-linefile-support.h"
#include "chpl-tasks.h"
#if __has_include("chpl-prginfo.h") /* 2.x, where the runtime may serve several programs */
#define CHPL_WEFT_PROGRAMS 1
#include "chpl-prginfo.h"
#endif
#endif
#if __has_include("chpl-error.h")
#include "chpl-error.h"
#else
#include "error.h"
#endif

#include <stdbool.h>
#include <weft/ext.h>

/* ---- for all versions ---------------------------------------------------------------------------- */

/* Ends the program with a line that names the call that failed and the cause. */
void chpl_weft_fail(const char *call) __attribute__((noreturn));

/* Starts Weft's runtime in the name of an OS thread that is made for it, and only waits and ends
 * it: so any OS thread may call chpl_task_exit. A failure ends the program with a line. */
void chpl_weft_owner_start(const weft_config *config);

/* Has that OS thread end the runtime and drop all tasks, and waits for the end at most some seconds.
 * In a task it does nothing. Returns: false if tasks still run by then. */
bool chpl_weft_owner_end(void);

/* ---- for 1.24 and later -------------------------------------------------------------------------- */

#ifndef CHPL_WEFT_2011

/* What a task shares with those that it started: tasks-weft-children.c. */
typedef struct chpl_weft_children chpl_weft_children;

/* A task while it runs, or an OS thread outside. In memory a task's argument follows it. */
typedef struct chpl_weft_task {
  chpl_task_infoRuntime_t info_runtime; /* the communication layer's own */
  chpl_task_bundle_t *bundle;           /* within the argument */
  chpl_weft_children *parent;           /* of the task that started it; null: it is not counted */
  chpl_weft_children *children;         /* null: it has started none that are counted */
  uint64_t pause_ns;                    /* the last one for which it parked in vain; 0: none */
  uint64_t yields_until;                /* until then its yields only let others run */
  uint32_t started;                     /* children, modulo 2^31 */
  uint32_t seen;                        /* children that had ended at its last yield */
  uint32_t kept;                        /* children that had not ended when its last statement began */
  bool has_parked;                      /* since it last started a child */
  bool is_allocated;                    /* by malloc: the task frees itself */
} __attribute__((aligned(16))) chpl_weft_task;

/* What each of Weft's threads has for this layer. The layer's own threads alone have it filled. */
typedef struct chpl_weft_extension {
  chpl_weft_task *task;   /* once the thread runs; the thread alone reads and writes it */
  weft_function function; /* what the task runs, for Weft's reports */
  weft_thread *next;      /* in a list of tasks: the one that was added before; the list's owner writes it */
} chpl_weft_extension;

/* Returns what a thread has for this layer. */
chpl_weft_extension *chpl_weft_extension_of(weft_thread *thread);

/* Returns the record of the task that calls; null in other callers. */
chpl_weft_task *chpl_weft_running(void);

/* Returns the caller's record: that of the task that calls, of the thread of the program's own, or
 * of the OS thread outside. */
chpl_weft_task *chpl_weft_self(void);

/* Returns a number that no other task has. */
chpl_taskID_t chpl_weft_new_id(void);

/* Counts a child that the calling task is about to start.
 * Returns: what the child's record has as its parent; null if there is no memory. */
chpl_weft_children *chpl_weft_add_child(chpl_weft_task *task);

/* The last step of a task that ends: its parent learns of it. */
void chpl_weft_end_family(chpl_weft_task *task);

/* Wakes the parent of the calling task if it parks: what it waits for may have happened. */
void chpl_weft_wake_parent(const chpl_weft_task *task);

/* A yield of the calling task, if it has children that have not ended: parks.
 * Returns: false if it has none, and nothing was done. */
bool chpl_weft_wait_for_children(chpl_weft_task *task);

/* How long such a yield parks when it waits for something else: at first, and at most. Tests change
 * them. */
extern uint64_t chpl_weft_least_pause_ns;
extern uint64_t chpl_weft_most_pause_ns;

/* Reserves what each thread has; chpl_task_init calls it before weft_init. */
void chpl_weft_reserve(void);

/* Lets Weft's reports name tasks by the function whose address lies at function_offset of a
 * thread's extension bytes, and the variable that sets the size of stacks. */
void chpl_weft_show_tasks(size_t function_offset);

/* Makes a task that runs its bundle's requested_fn on a copy of the argument, which has size bytes.
 * call is the name of the caller for messages. Of a joined task *out receives the handle; out null:
 * the task is detached. A failure ends the program with a line that names call. */
void chpl_weft_start(const char *call, const void *argument, size_t size, weft_thread **out);

/* Whether started tasks stay on their OS thread; chpl_task_init sets it. */
extern bool chpl_weft_tasks_stay;

/* Not in the chpl-tasks.h of every version: from 1.25 on a task of any kind is added so, and later
 * trees have no counts. The newest trees name the program whose function table has fid. */
#ifdef CHPL_WEFT_PROGRAMS
void chpl_rt_task_add_task(chpl_rt_prginfo *program, chpl_fn_int_t fid, chpl_task_bundle_t *bundle, size_t size,
                           c_sublocid_t subloc, int32_t lineno, int32_t filename);
void chpl_rt_task_task_ftable_call(chpl_rt_prginfo *program, chpl_fn_int_t fid, void *argument, size_t size, c_sublocid_t subloc,
                                   int32_t lineno, int32_t filename);
#else
void chpl_task_addTask(chpl_fn_int_t fid, chpl_task_bundle_t *bundle, size_t size, c_sublocid_t subloc, int lineno,
                       int32_t filename);
#endif
uint32_t chpl_task_getNumQueuedTasks(void);
int32_t chpl_task_getNumBlockedTasks(void);
uint32_t chpl_task_getNumThreads(void);
uint32_t chpl_task_getNumIdleThreads(void);

#endif

#endif
