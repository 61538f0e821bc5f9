/* Tasks on OS threads, as Chapel's FIFO tasking layer has them: what the files of this folder
 * share.
 *
 * One queue of tasks, first in first out, under one mutex. An OS thread takes a task, runs it to
 * its end and takes the next. Whenever more tasks are queued than OS threads are idle, another is
 * made, up to a limit if there is one; they end with threads_stop alone. Where parents help (the
 * implementation "pool", and Chapel's layer as of 2011), a thread that waits for tasks of its own
 * runs those that are still queued.
 *
 * Lock order: none; no two of the mutexes here are held at once. */
#ifndef WEFT_THREADS_SRC_OS_ENGINE_H
#define WEFT_THREADS_SRC_OS_ENGINE_H

#include <pthread.h>

#include <weft_threads/manage.h>

/* Those that one caller waits for. */
struct os_group {
  pthread_mutex_t mutex;
  pthread_cond_t ended;
  size_t remaining;
};

/* A task in the queue or running; in a list it lies in a threads_task. Links and is_queued
 * belong to the queue's mutex. */
struct os_task {
  threads_function function;
  void *argument;
  struct os_task *next;
  struct os_task *previous;
  struct os_group *group; /* null: no thread waits */
  bool is_queued;
  bool is_own_block; /* freed when it has ended */
};

/* What a task is to itself: on the stack of the OS thread that runs it. */
struct os_self {
  uint64_t id;               /* made when first asked for */
  struct os_task *task;      /* null: the adopted caller */
  struct key_values *values; /* of keys; null: none was set */
};
extern __thread struct os_self *os_self_now;

struct os_settings {
  unsigned workers;
  unsigned limit; /* of OS threads; 0: none */
  size_t stack_bytes;
  bool parents_help;
  bool idle_yields; /* as in Chapel's layer; otherwise an idle OS thread sleeps */
  bool caller_outside;
};

/* ---- queue.c ---- */
threads_status os_queue_start(const struct os_settings *settings);
void os_queue_stop(void); /* waits until every task has ended */
const struct os_settings *os_queue_settings(void);
/* Never fails: there is an OS thread already, if only one. The tasks are linked by next. */
void os_queue_push(struct os_task *first, struct os_task *last, size_t count);
bool os_queue_take_back(struct os_task *task); /* true: it had not started; the caller runs it and calls os_queue_ran */
void os_queue_ran(void);
void os_queue_counts(threads_count *out);
void os_queue_blocked(int change); /* the caller begins (1) or ends (-1) to wait */

/* ---- task.c ---- */
void os_task_run(struct os_task *task); /* the task's memory may be gone afterwards */
void os_group_wait(struct os_group *group);
uint64_t os_new_id(void);

/* ---- settings.c ---- */
threads_status os_read_settings(const char *name, const threads_config *config, struct os_settings *out);

#endif
