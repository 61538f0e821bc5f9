/* Tasks. A ULT has a record from its first call that needs one until it has completed; the handle of
 * the task is its address.
 *
 * Of a task's events, `events` counts those that the task had and has not seen fulfilled; the task
 * alone changes it. Each one
 * that is fulfilled is a token of `fulfilled`, which the task takes when it looks. So a caller that
 * fulfils events touches the semaphore alone, and the task may free the record once it has taken
 * the last token. */
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include <weft/hot.h>
#include <weft/weft.h>

#include "fail.h"

struct alpi_task {
  weft_thread *unit;
  uint64_t events;
  weft_semaphore fulfilled;

  /* Of alpi_task_spawn; body is null in records of other ULTs. */
  void (*body)(void *);
  void *body_args;
  void (*completion_callback)(void *);
  void *completion_args;

  bool is_suspended; /* its body has called alpi_task_suspend */
  alpi_suspend_mode_t suspend_mode;
  uint64_t suspend_args;
};

static const char no_key[] = "there are 1024 keys of threads already, and no more are possible";
static const char no_memory[] = "no memory";

static weft_key record_key;
static weft_status key_status;

_Noreturn static void die(const char *why) {
  fprintf(stderr, "weft: ALPI: %s\n", why);
  abort();
}

static bool has_events(struct alpi_task *task) {
  while (task->events != 0 && weft_semaphore_try_acquire(&task->fulfilled) == WEFT_OK) --task->events;
  return task->events != 0;
}

static void wait_for_events(struct alpi_task *task) {
  for (; task->events != 0; --task->events) {
    if (weft_semaphore_acquire(&task->fulfilled) != WEFT_OK) die("a task that has events cannot wait for them where it ends");
  }
}

/* At the end of a ULT that alpi_task_spawn did not make. */
static void complete(void *record) {
  wait_for_events(record);
  free(record);
}

static void make_key(void) { key_status = weft_key_create(complete, &record_key); }

static bool may_use_key(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, make_key);
  return key_status == WEFT_OK;
}

/* The ULT that calls, or null, also in a fork that another worker took: it would run beside its
 * forker with the same handle, and what is told to a handle reaches one caller alone. */
static weft_thread *calling_unit(void) {
  weft_thread *const unit = weft_hot_known_self();
  return unit != NULL && !weft_thread_is_tasklet(unit) ? unit : NULL;
}

static int make_record(weft_thread *unit, struct alpi_task **out) {
  struct alpi_task *const made = calloc(1, sizeof *made);
  if (made == NULL || weft_key_set(record_key, made) != WEFT_OK) {
    free(made);
    return fail(ALPI_ERR_OUT_OF_MEMORY, "alpi_task_self", NULL, no_memory);
  }
  made->unit = unit;
  *out = made;
  return ALPI_SUCCESS;
}

EXPORT int alpi_task_self(struct alpi_task **task) {
  if (task == NULL) return fail_null("alpi_task_self", "task");
  *task = NULL;
  weft_thread *const unit = calling_unit();
  if (unit == NULL) return ALPI_SUCCESS;
  if (!may_use_key()) return fail(ALPI_ERR_OUT_OF_MEMORY, "alpi_task_self", NULL, no_key);
  *task = weft_key_get(record_key);
  return *task != NULL ? ALPI_SUCCESS : make_record(unit, task);
}

/* Whether task is the caller's; if not, what the call returns. */
static int check_is_own(const struct alpi_task *task, const char *call) {
  if (calling_unit() == NULL) return fail_outside(call);
  if (task == NULL) return fail_null(call, "task");
  if (!may_use_key() || weft_key_get(record_key) != task) {
    return fail(ALPI_ERR_PARAMETER, call, "task", "it is not the task that calls");
  }
  return ALPI_SUCCESS;
}

EXPORT int alpi_task_block(struct alpi_task *task) {
  const int error = check_is_own(task, "alpi_task_block");
  if (error != ALPI_SUCCESS) return error;
  return weft_suspend() == WEFT_OK ? ALPI_SUCCESS : fail_outside("alpi_task_block");
}

EXPORT int alpi_task_unblock(struct alpi_task *task) {
  if (task == NULL) return fail_null("alpi_task_unblock", "task");
  if (weft_resume(task->unit) == WEFT_OK) return ALPI_SUCCESS;
  return fail(ALPI_ERR_PARAMETER, "alpi_task_unblock", "task", "it has completed");
}

EXPORT int alpi_task_waitfor_ns(uint64_t target_ns, uint64_t *actual_ns) {
  if (calling_unit() == NULL) return fail_outside("alpi_task_waitfor_ns");
  const uint64_t since = weft_now_ns();
  if (weft_sleep_ns(target_ns) != WEFT_OK) return fail_outside("alpi_task_waitfor_ns");
  if (actual_ns != NULL) *actual_ns = weft_now_ns() - since;
  return ALPI_SUCCESS;
}

/* ---- events -------------------------------------------------------------------------------------- */

EXPORT int alpi_task_events_increase(struct alpi_task *task, uint64_t increment) {
  const int error = check_is_own(task, "alpi_task_events_increase");
  if (error == ALPI_SUCCESS) task->events += increment;
  return error;
}

EXPORT int alpi_task_events_test(struct alpi_task *task, uint64_t *has_any) {
  const int error = check_is_own(task, "alpi_task_events_test");
  if (error != ALPI_SUCCESS) return error;
  if (has_any == NULL) return fail_null("alpi_task_events_test", "has_events");
  *has_any = has_events(task);
  return ALPI_SUCCESS;
}

EXPORT int alpi_task_events_decrease(struct alpi_task *task, uint64_t decrement) {
  if (task == NULL) return fail_null("alpi_task_events_decrease", "task");
  if (decrement == 0) return ALPI_SUCCESS;
  if (decrement <= UINT32_MAX && weft_semaphore_release(&task->fulfilled, (uint32_t)decrement) == WEFT_OK) return ALPI_SUCCESS;
  return fail(ALPI_ERR_PARAMETER, "alpi_task_events_decrease", "decrement",
              "more than 2^32-1 events that the task has not seen yet");
}

/* ---- tasks of the interface's own ---------------------------------------------------------------- */

EXPORT int alpi_task_suspend_mode_set(struct alpi_task *task, alpi_suspend_mode_t suspend_mode, uint64_t args) {
  const int error = check_is_own(task, "alpi_task_suspend_mode_set");
  if (error != ALPI_SUCCESS) return error;
  if ((unsigned)suspend_mode > ALPI_SUSPEND_EVENT_SUBMIT) {
    return fail(ALPI_ERR_PARAMETER, "alpi_task_suspend_mode_set", "suspend_mode", "no value of alpi_suspend_mode_t");
  }
  task->suspend_mode = suspend_mode;
  task->suspend_args = args;
  return ALPI_SUCCESS;
}

EXPORT int alpi_task_suspend(struct alpi_task *task) {
  const int error = check_is_own(task, "alpi_task_suspend");
  if (error != ALPI_SUCCESS) return error;
  if (task->body == NULL) {
    return fail(ALPI_ERR_PARAMETER, "alpi_task_suspend", "task", "alpi_task_spawn did not make it: it has no body to call again");
  }
  task->is_suspended = true;
  return ALPI_SUCCESS;
}

static void stay_suspended(struct alpi_task *task) {
  weft_status status = WEFT_OK;
  switch (task->suspend_mode) {
    case ALPI_SUSPEND_NONE: status = weft_suspend(); break;
    case ALPI_SUSPEND_SUBMIT: weft_yield(); break;
    case ALPI_SUSPEND_TIMEOUT_SUBMIT: status = weft_sleep_ns(task->suspend_args); break;
    case ALPI_SUSPEND_EVENT_SUBMIT: wait_for_events(task); break;
  }
  if (status != WEFT_OK) die("a task cannot stay suspended where its body returned");
}

static void run(void *record) {
  struct alpi_task *const task = record;
  task->unit = weft_self();
  if (weft_key_set(record_key, task) != WEFT_OK) die("no memory for the record of a task that alpi_task_spawn made");
  do {
    task->is_suspended = false;
    task->body(task->body_args);
    if (task->is_suspended) stay_suspended(task);
  } while (task->is_suspended);
  wait_for_events(task);
  if (weft_key_set(record_key, NULL) != WEFT_OK) die("a task ended inside a blocking region");
  task->completion_callback(task->completion_args);
  free(task);
}

EXPORT int alpi_task_spawn(void (*body)(void *), void *body_args, void (*completion_callback)(void *), void *completion_args,
                           const char *label, const struct alpi_attr *attr) {
  (void)attr;
  if (body == NULL) return fail_null("alpi_task_spawn", "body");
  if (completion_callback == NULL) return fail_null("alpi_task_spawn", "completion_callback");
  if (!may_use_key()) return fail(ALPI_ERR_OUT_OF_MEMORY, "alpi_task_spawn", NULL, no_key);
  struct alpi_task *const made = calloc(1, sizeof *made);
  if (made == NULL) return fail(ALPI_ERR_OUT_OF_MEMORY, "alpi_task_spawn", NULL, no_memory);
  made->body = body;
  made->body_args = body_args;
  made->completion_callback = completion_callback;
  made->completion_args = completion_args;
  weft_thread_attr named = WEFT_THREAD_ATTR_INIT;
  named.name = label;
  const weft_status status = weft_thread_create(run, made, &named, NULL);
  if (status == WEFT_OK) return ALPI_SUCCESS;
  free(made);
  if (status == WEFT_NOT_INITIALIZED) return fail_not_started("alpi_task_spawn");
  weft_ext_fail_as("alpi_task_spawn");
  return status == WEFT_NOMEM || status == WEFT_AGAIN ? ALPI_ERR_OUT_OF_MEMORY : ALPI_ERR_UNKNOWN;
}
