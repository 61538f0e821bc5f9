/* ALPI 1.2 on Weft: the tasking interface beneath the task-aware libraries for MPI, GASPI, CUDA,
 * HIP, SYCL and AscendCL. The interface is that of nOS-V and Nanos6; `../MAP.md` says what each
 * function is made of.
 *
 * A task is a ULT: one of weft_thread_create, one of alpi_task_spawn, or the caller of weft_init.
 * Tasklets, callbacks, OS threads outside and callers inside a blocking region are outside of tasks,
 * and so are forks that another worker took; a fork that runs in its join is part of its forker's
 * task.
 *
 * The functions return ALPI_SUCCESS or an error of their own; weft_last_error() has its text.
 * "Switches" and "Callers" are those of weft.h. */
#ifndef ALPI_INTERFACE_H /* SPDX-License-Identifier: BSD-3-Clause */
#define ALPI_INTERFACE_H

#include <stddef.h>
#include <stdint.h>

#if defined(__cplusplus)
extern "C" {
#endif

#define ALPI_VERSION_MAJOR 1
#define ALPI_VERSION_MINOR 2

/* What alpi_feature_check asks for. */
#define ALPI_FEATURE_BLOCKING (1 << 0)  /* alpi_task_block, alpi_task_unblock, alpi_task_waitfor_ns */
#define ALPI_FEATURE_EVENTS (1 << 1)    /* alpi_task_events_* */
#define ALPI_FEATURE_RESOURCES (1 << 2) /* alpi_cpu_* */
#define ALPI_FEATURE_SUSPEND (1 << 3)   /* alpi_task_suspend, alpi_task_suspend_mode_set */

/* A task. Programs see pointers to it alone. A handle is good until its task has completed. */
struct alpi_task;

/* How a task is made. It has no attributes yet. */
struct alpi_attr;

/* How a call ended. */
typedef enum {
  ALPI_SUCCESS = 0,
  ALPI_ERR_VERSION,         /* another version than the caller needs */
  ALPI_ERR_NOT_INITIALIZED, /* the runtime does not run */
  ALPI_ERR_PARAMETER,       /* an argument is wrong */
  ALPI_ERR_OUT_OF_MEMORY,   /* no memory */
  ALPI_ERR_OUTSIDE_TASK,    /* the caller is not a task */
  ALPI_ERR_UNKNOWN,         /* any other error */
  ALPI_ERR_FEATURE_UNKNOWN, /* a feature that is not there */
  ALPI_ERR_MAX              /* how many values come before it */
} alpi_error_t;

/* What alpi_info_get tells. */
typedef enum {
  ALPI_INFO_RUNTIME_NAME,   /* "Weft" */
  ALPI_INFO_RUNTIME_VENDOR, /* its makers */
  ALPI_INFO_VERSION         /* the versions of the interface and of Weft */
} alpi_info_t;

/* What happens to a suspended task when its body returns. */
typedef enum {
  ALPI_SUSPEND_NONE = 0,       /* it waits for alpi_task_unblock; the argument is ignored */
  ALPI_SUSPEND_SUBMIT,         /* it lets other ready tasks run; the argument is ignored */
  ALPI_SUSPEND_TIMEOUT_SUBMIT, /* it sleeps; the argument is the time in nanoseconds */
  ALPI_SUSPEND_EVENT_SUBMIT    /* it waits until it has no events; the argument is ignored */
} alpi_suspend_mode_t;

/* Returns the text of an error.
 * Returns: constant text; for another value than those above, a text that says so.
 * Switches: never. Callers: any. */
const char *alpi_error_string(int error);

/* Tells about the runtime.
 * The call writes up to max_length bytes to buffer, the closing null included, and cuts a longer
 * text. If length is not null, *length receives the length of the whole text.
 * Errors: ALPI_ERR_PARAMETER (buffer is null; max_length is 0; query is no value of alpi_info_t).
 * Switches: never. Callers: any. */
int alpi_info_get(alpi_info_t query, char *buffer, size_t max_length, int *length);

/* Checks that features are there: a bitwise OR of ALPI_FEATURE_*. Weft has them all.
 * Errors: ALPI_ERR_FEATURE_UNKNOWN (feature_bitmask has other bits).
 * Switches: never. Callers: any. */
int alpi_feature_check(int feature_bitmask);

/* Checks that a caller that was compiled for version major.minor can use this library.
 * Errors: ALPI_ERR_VERSION (another major, or a newer minor).
 * Switches: never. Callers: any. */
int alpi_version_check(int major, int minor);

/* *major and *minor receive the version of the interface.
 * Errors: ALPI_ERR_PARAMETER (major or minor is null).
 * Switches: never. Callers: any. */
int alpi_version_get(int *major, int *minor);

/* *task receives the caller's task; null outside of tasks.
 * Errors: ALPI_ERR_PARAMETER (task is null), ALPI_ERR_OUT_OF_MEMORY.
 * Switches: never. Callers: any. */
int alpi_task_self(struct alpi_task **task);

/* Waits until another caller calls alpi_task_unblock with this task. If such a call came since the
 * last return from this function, the call returns at once; one of them is remembered.
 * Errors: ALPI_ERR_OUTSIDE_TASK, ALPI_ERR_PARAMETER (task is not the caller's).
 * Switches: may. Callers: tasks. */
int alpi_task_block(struct alpi_task *task);

/* Ends the alpi_task_block of a task: the one in which it is, or else its next one.
 * Errors: ALPI_ERR_PARAMETER (task is null).
 * Switches: never. Callers: any.
 * Undefined: a handle that is no longer good. */
int alpi_task_unblock(struct alpi_task *task);

/* Waits for target_ns nanoseconds, or a little longer; for 0, lets other ready tasks run. If
 * actual_ns is not null, *actual_ns receives the nanoseconds that the caller waited.
 * Errors: ALPI_ERR_OUTSIDE_TASK.
 * Switches: may. Callers: tasks. */
int alpi_task_waitfor_ns(uint64_t target_ns, uint64_t *actual_ns);

/* Gives the calling task increment events more. The task does not complete, and a joiner of its ULT
 * does not return, until its body has returned and all its events are fulfilled.
 * Errors: ALPI_ERR_OUTSIDE_TASK, ALPI_ERR_PARAMETER (task is not the caller's).
 * Switches: never. Callers: tasks.
 * Undefined: more than 2^64-1 events of a task. */
int alpi_task_events_increase(struct alpi_task *task, uint64_t increment);

/* *has_events receives 1 if the calling task has events that are not fulfilled, and else 0. Other
 * callers may fulfil them at any time.
 * Errors: ALPI_ERR_OUTSIDE_TASK, ALPI_ERR_PARAMETER (task is not the caller's; has_events is null).
 * Switches: never. Callers: tasks. */
int alpi_task_events_test(struct alpi_task *task, uint64_t *has_events);

/* Fulfils decrement events of a task.
 * Errors: ALPI_ERR_PARAMETER (task is null; more than 2^32-1 events are fulfilled before the task
 * looks at them).
 * Switches: never. Callers: any.
 * Undefined: a handle that is no longer good; more events than the task has. */
int alpi_task_events_decrease(struct alpi_task *task, uint64_t decrement);

/* *attr receives new attributes, with defaults.
 * Errors: ALPI_ERR_PARAMETER (attr is null), ALPI_ERR_OUT_OF_MEMORY.
 * Switches: never. Callers: any. */
int alpi_attr_create(struct alpi_attr **attr);

/* Frees attributes of alpi_attr_create.
 * Errors: ALPI_ERR_PARAMETER (attr is null).
 * Switches: never. Callers: any.
 * Undefined: other attributes, or those freed already. */
int alpi_attr_destroy(struct alpi_attr *attr);

/* Sets attributes to defaults, in memory of the program's or of alpi_attr_create.
 * Errors: ALPI_ERR_PARAMETER (attr is null).
 * Switches: never. Callers: any. */
int alpi_attr_init(struct alpi_attr *attr);

/* *attr_size receives the bytes that attributes take.
 * Errors: ALPI_ERR_PARAMETER (attr_size is null).
 * Switches: never. Callers: any. */
int alpi_attr_size(uint64_t *attr_size);

/* Makes a task that runs body(body_args), and calls completion_callback(completion_args) when it
 * has completed. The callback runs as the last part of the task, and may block. label, up to 31
 * bytes, names the task's ULT in reports; it may be null. attr may be null.
 * Errors: ALPI_ERR_PARAMETER (body or completion_callback is null), ALPI_ERR_OUT_OF_MEMORY,
 * ALPI_ERR_NOT_INITIALIZED.
 * Switches: never. Callers: any. */
int alpi_task_spawn(void (*body)(void *), void *body_args, void (*completion_callback)(void *), void *completion_args,
                    const char *label, const struct alpi_attr *attr);

/* *count receives the number of workers.
 * Errors: ALPI_ERR_PARAMETER (count is null), ALPI_ERR_NOT_INITIALIZED.
 * Switches: never. Callers: any. */
int alpi_cpu_count(uint64_t *count);

/* *logical_id receives the caller's worker, from 0.
 * Errors: ALPI_ERR_PARAMETER (logical_id is null), ALPI_ERR_OUTSIDE_TASK.
 * Switches: never. Callers: tasks. */
int alpi_cpu_logical_id(uint64_t *logical_id);

/* *system_id receives the CPU on which the caller runs, as the system counts it.
 * Errors: ALPI_ERR_PARAMETER (system_id is null), ALPI_ERR_OUTSIDE_TASK.
 * Switches: never. Callers: tasks. */
int alpi_cpu_system_id(uint64_t *system_id);

/* Says what happens to the calling task when its body returns after alpi_task_suspend.
 * Errors: ALPI_ERR_OUTSIDE_TASK, ALPI_ERR_PARAMETER (task is not the caller's; suspend_mode is no
 * value of alpi_suspend_mode_t).
 * Switches: never. Callers: tasks. */
int alpi_task_suspend_mode_set(struct alpi_task *task, alpi_suspend_mode_t suspend_mode, uint64_t args);

/* Marks the calling task as suspended: when its body returns, the task does not complete. It does
 * what its suspend mode says, and then its body is called again.
 * Errors: ALPI_ERR_OUTSIDE_TASK, ALPI_ERR_PARAMETER (task is not the caller's; alpi_task_spawn did
 * not make it, so that it has no body to call again).
 * Switches: never. Callers: tasks. */
int alpi_task_suspend(struct alpi_task *task);

#if defined(__cplusplus)
}
#endif
#endif
