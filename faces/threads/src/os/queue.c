/* The queue of tasks and the OS threads that serve it. */
#include "engine.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* An OS thread of the pool; one that could not be made leaves none. */
struct os_worker {
  pthread_t os_thread;
  struct os_worker *next;
};

static struct {
  pthread_mutex_t mutex;
  pthread_cond_t work;  /* a task was queued, or it stops */
  pthread_cond_t quiet; /* nothing is queued or runs */
  struct os_settings settings;
  struct os_task *head, *tail;
  struct os_worker *workers;
  size_t queued;
  size_t running; /* tasks, also those that parents run */
  size_t idle;
  size_t starting; /* OS threads that were added and have not looked for a task yet */
  size_t os_threads;
  bool is_stopping;
  bool has_warned;
  long blocked; /* atomic, under no mutex */
} pool = {.mutex = PTHREAD_MUTEX_INITIALIZER, .work = PTHREAD_COND_INITIALIZER, .quiet = PTHREAD_COND_INITIALIZER};

const struct os_settings *os_queue_settings(void) { return &pool.settings; }

/* ---- under the mutex ------------------------------------------------------------------------- */

static void unlink_task(struct os_task *task) {
  if (task->previous != NULL) {
    task->previous->next = task->next;
  } else {
    pool.head = task->next;
  }
  if (task->next != NULL) {
    task->next->previous = task->previous;
  } else {
    pool.tail = task->previous;
  }
  task->is_queued = false;
  --pool.queued;
  ++pool.running;
}

static void task_ended(void) {
  --pool.running;
  if (pool.running + pool.queued == 0) pthread_cond_broadcast(&pool.quiet);
}

static void wait_for_work(void) {
  ++pool.idle;
  if (pool.settings.idle_yields) {
    pthread_mutex_unlock(&pool.mutex);
    sched_yield();
    pthread_mutex_lock(&pool.mutex);
  } else {
    pthread_cond_wait(&pool.work, &pool.mutex);
  }
  --pool.idle;
}

/* How many OS threads to add; they count from now on. */
static size_t claim_os_threads(void) {
  const size_t free_soon = pool.idle + pool.starting;
  size_t wanted = pool.queued > free_soon ? pool.queued - free_soon : 0;
  if (pool.settings.limit != 0) {
    const size_t room = pool.settings.limit - pool.os_threads;
    if (wanted > room) wanted = room;
  }
  pool.os_threads += wanted;
  pool.starting += wanted;
  return wanted;
}

/* ---- OS threads ------------------------------------------------------------------------------ */

static void *serve(void *unused) {
  (void)unused;
  pthread_mutex_lock(&pool.mutex);
  --pool.starting;
  for (;;) {
    while (pool.head == NULL && !pool.is_stopping) wait_for_work();
    if (pool.head == NULL) break;
    struct os_task *const task = pool.head;
    unlink_task(task);
    pthread_mutex_unlock(&pool.mutex);
    os_task_run(task);
    pthread_mutex_lock(&pool.mutex);
    task_ended();
  }
  pthread_mutex_unlock(&pool.mutex);
  return NULL;
}

static bool start_os_thread(struct os_worker *worker) {
  pthread_attr_t attr;
  if (pthread_attr_init(&attr) != 0) return false;
  bool is_started = pool.settings.stack_bytes == 0 || pthread_attr_setstacksize(&attr, pool.settings.stack_bytes) == 0;
  is_started = is_started && pthread_create(&worker->os_thread, &attr, serve, NULL) == 0;
  pthread_attr_destroy(&attr);
  return is_started;
}

static bool add_os_thread(void) {
  struct os_worker *const worker = malloc(sizeof *worker);
  if (worker == NULL) return false;
  if (!start_os_thread(worker)) {
    free(worker);
    return false;
  }
  pthread_mutex_lock(&pool.mutex);
  worker->next = pool.workers;
  pool.workers = worker;
  pthread_mutex_unlock(&pool.mutex);
  return true;
}

/* Goes on with what it has, after one warning. */
static void os_threads_refused(size_t count) {
  pthread_mutex_lock(&pool.mutex);
  pool.os_threads -= count;
  pool.starting -= count;
  const size_t left = pool.os_threads;
  const bool has_warned = pool.has_warned;
  pool.has_warned = true;
  pthread_mutex_unlock(&pool.mutex);
  if (has_warned) return;
  fprintf(stderr, "weft-threads: warning: the system refused an OS thread; going on with %zu (WEFT_THREADS_LIMIT sets a limit)\n",
          left);
}

static void add_os_threads(size_t count) {
  for (; count != 0; --count) {
    if (!add_os_thread()) {
      os_threads_refused(count);
      return;
    }
  }
}

/* ---- tasks ----------------------------------------------------------------------------------- */

static void append_tasks(struct os_task *first, struct os_task *last, size_t count) {
  struct os_task *previous = pool.tail;
  for (struct os_task *task = first; task != NULL; task = task->next) {
    task->previous = previous;
    task->is_queued = true;
    previous = task;
  }
  if (pool.tail != NULL) {
    pool.tail->next = first;
  } else {
    pool.head = first;
  }
  pool.tail = last;
  pool.queued += count;
}

void os_queue_push(struct os_task *first, struct os_task *last, size_t count) {
  last->next = NULL;
  pthread_mutex_lock(&pool.mutex);
  append_tasks(first, last, count);
  for (size_t woken = count < pool.idle ? count : pool.idle; woken != 0; --woken) pthread_cond_signal(&pool.work);
  const size_t added = claim_os_threads();
  pthread_mutex_unlock(&pool.mutex);
  add_os_threads(added);
}

bool os_queue_take_back(struct os_task *task) {
  pthread_mutex_lock(&pool.mutex);
  const bool was_queued = task->is_queued;
  if (was_queued) unlink_task(task);
  pthread_mutex_unlock(&pool.mutex);
  return was_queued;
}

void os_queue_ran(void) {
  pthread_mutex_lock(&pool.mutex);
  task_ended();
  pthread_mutex_unlock(&pool.mutex);
}

void os_queue_blocked(int change) { __atomic_fetch_add(&pool.blocked, change, __ATOMIC_RELAXED); }

void os_queue_counts(threads_count *out) {
  pthread_mutex_lock(&pool.mutex);
  const size_t blocked = (size_t)__atomic_load_n(&pool.blocked, __ATOMIC_RELAXED);
  const size_t started = pool.running + !pool.settings.caller_outside;
  out->queued = pool.queued;
  pthread_mutex_unlock(&pool.mutex);
  out->blocked = blocked;
  out->running = started > blocked ? started - blocked : 0;
}

/* ---- start and stop -------------------------------------------------------------------------- */

threads_status os_queue_start(const struct os_settings *settings) {
  pool.settings = *settings;
  pool.is_stopping = pool.has_warned = false;
  pool.os_threads = pool.starting = 1;
  if (add_os_thread()) return THREADS_OK;
  fprintf(stderr,
          "weft-threads: error: the system refused an OS thread; a smaller stack (stack_bytes) or a higher ulimit -u may help\n");
  return THREADS_AGAIN;
}

static struct os_worker *stop_serving(void) {
  pthread_mutex_lock(&pool.mutex);
  while (pool.running + pool.queued != 0) pthread_cond_wait(&pool.quiet, &pool.mutex);
  pool.is_stopping = true;
  pthread_cond_broadcast(&pool.work);
  struct os_worker *const workers = pool.workers;
  pool.workers = NULL;
  pthread_mutex_unlock(&pool.mutex);
  return workers;
}

void os_queue_stop(void) {
  struct os_worker *worker = stop_serving();
  while (worker != NULL) {
    struct os_worker *const next = worker->next;
    pthread_join(worker->os_thread, NULL);
    free(worker);
    worker = next;
  }
}
