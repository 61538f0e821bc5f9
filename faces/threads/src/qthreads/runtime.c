/* Start and stop. Qthreads makes its caller a task, and reads its settings from the environment: a shepherd a worker, stacks that hold what
 * programs call. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "../environment.h"
#include "calls.h"

enum { default_stack_bytes = 65536 };

static bool is_caller_outside;
static unsigned workers;

unsigned runtime_worker_count(void) { return workers; }

unsigned runtime_features(void) {
  return THREADS_MIGRATES | THREADS_IDLE_SPINS | (is_caller_outside ? THREADS_CALLER_OUTSIDE : 0);
}

static bool set_number(const char *variable, size_t number) {
  char text[32];
  snprintf(text, sizeof text, "%zu", number);
  return setenv(variable, text, 1) == 0;
}

static bool set_environment(const threads_config *config) {
  workers = config->workers != 0 ? config->workers : allowed_cpus();
  const size_t stack_bytes = config->stack_bytes != 0 ? config->stack_bytes : default_stack_bytes;
  return set_number("QTHREAD_NUM_SHEPHERDS", workers) && set_number("QTHREAD_NUM_WORKERS_PER_SHEPHERD", 1) &&
         set_number("QTHREAD_STACK_SIZE", stack_bytes);
}

static threads_status start_here(void) {
  if (qthread_initialize() != QTHREAD_SUCCESS) return THREADS_AGAIN;
  return adopt_caller();
}

static void stop_here(void) {
  wait_for_all_threads();
  release_caller();
  qthread_finalize();
}

/* ---- on an OS thread of its own, so that the caller stays outside -------------------------------------------------- */

static struct {
  pthread_t os_thread;
  pthread_mutex_t mutex;
  pthread_cond_t changed;
  bool is_ready;
  threads_status status;
  aligned_t end;
} elsewhere = {.mutex = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};

static void tell_that_it_started(threads_status status) {
  pthread_mutex_lock(&elsewhere.mutex);
  elsewhere.status = status;
  elsewhere.is_ready = true;
  pthread_cond_signal(&elsewhere.changed);
  pthread_mutex_unlock(&elsewhere.mutex);
}

static void *be_first_task(void *unused) {
  (void)unused;
  const threads_status status = start_here();
  if (status == THREADS_OK) qthread_empty(&elsewhere.end);
  tell_that_it_started(status);
  if (status != THREADS_OK) return NULL;
  qthread_readFF(NULL, &elsewhere.end); /* its worker serves others meanwhile */
  stop_here();
  return NULL;
}

static threads_status start_elsewhere(void) {
  elsewhere.is_ready = false;
  if (pthread_create(&elsewhere.os_thread, NULL, be_first_task, NULL) != 0) return THREADS_AGAIN;
  pthread_mutex_lock(&elsewhere.mutex);
  while (!elsewhere.is_ready) pthread_cond_wait(&elsewhere.changed, &elsewhere.mutex);
  pthread_mutex_unlock(&elsewhere.mutex);
  if (elsewhere.status != THREADS_OK) pthread_join(elsewhere.os_thread, NULL);
  return elsewhere.status;
}

/* ---- both ----------------------------------------------------------------------------------------------------------- */

threads_status runtime_start(const threads_config *config) {
  if (!set_environment(config)) return THREADS_NOMEM;
  is_caller_outside = config->caller_outside;
  const threads_status status = is_caller_outside ? start_elsewhere() : start_here();
  if (status != THREADS_OK) report_error("qthreads: %u shepherds could not be started", workers);
  return status;
}

threads_status runtime_stop(void) {
  if (is_caller_outside) {
    qthread_fill(&elsewhere.end);
    pthread_join(elsewhere.os_thread, NULL);
  } else {
    stop_here();
  }
  return THREADS_OK;
}
