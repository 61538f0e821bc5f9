/* Start and stop. Qthreads makes its caller a task, and reads its settings from the environment:
 * a shepherd a worker, stacks that hold what programs call. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "../elsewhere.h"
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

/* ---- on an OS thread of its own, so that the caller stays outside ---------------------------- */

static elsewhere first = ELSEWHERE_INIT;
static aligned_t end_of_first;

static void *be_first_task(void *unused) {
  (void)unused;
  const threads_status status = start_here();
  if (status == THREADS_OK) qthread_empty(&end_of_first);
  elsewhere_tell(&first, status);
  if (status != THREADS_OK) return NULL;
  qthread_readFF(NULL, &end_of_first); /* its worker serves others meanwhile */
  stop_here();
  return NULL;
}

/* ---- both ------------------------------------------------------------------------------------ */

threads_status runtime_start(const threads_config *config) {
  if (!set_environment(config)) return THREADS_NOMEM;
  is_caller_outside = config->caller_outside;
  const threads_status status = is_caller_outside ? elsewhere_start(&first, be_first_task, NULL) : start_here();
  if (status != THREADS_OK) report_error("qthreads: %u shepherds could not be started", workers);
  return status;
}

threads_status runtime_stop(void) {
  if (is_caller_outside) {
    qthread_fill(&end_of_first);
    pthread_join(first.os_thread, NULL);
  } else {
    stop_here();
  }
  return THREADS_OK;
}
