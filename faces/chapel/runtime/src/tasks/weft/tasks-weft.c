/* The start and end of the layer, and the communication layer's OS thread. */
#include "chplrt.h" /* Chapel's build looks for it here */

#include "weft-layer.h"

#ifndef CHPL_WEFT_2011

#include "chpl-comm.h"
#include "chpl-env.h"
#include "chpl-topo.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool chpl_weft_tasks_stay = false;

/* ---- start --------------------------------------------------------------------------------------- */

/* Returns how many workers there shall be; 0: Weft decides, by WEFT_WORKERS, or by the CPUs and the
 * quota of a container, and *most limits what it decides; 0 there: no limit. */
static unsigned workers_wanted(unsigned *most) {
  int32_t wanted = chpl_task_getenvNumThreadsPerLocale();
  const int32_t cpus = chpl_topo_getNumCPUsLogical(true);
  const int32_t limit = chpl_comm_getMaxThreads();
  *most = 0;
  if (wanted == 0) {
    const int32_t cores = chpl_topo_getNumCPUsPhysical(true);
    const int32_t least = limit > 0 && (cores <= 0 || limit < cores) ? limit : cores;
    if (getenv("WEFT_WORKERS") == NULL && least > 0) {
      *most = (unsigned)least;
    }
    return 0;
  }
  if (cpus > 0 && wanted > cpus) {
    char text[160];
    snprintf(text, sizeof text,
             "CHPL_RT_NUM_THREADS_PER_LOCALE is %d, but this locale has %d CPUs: the runtime starts %d workers", (int)wanted,
             (int)cpus, (int)cpus);
    chpl_warning(text, 0, 0);
    wanted = cpus;
  }
  if (limit > 0 && wanted > limit) {
    wanted = limit;
  }
  return wanted > 0 ? (unsigned)wanted : 0;
}

/* Ends workers beyond a number, where Weft counts two for each core, as far as Weft lets it. */
static void limit_workers(unsigned most) {
  for (unsigned count = weft_worker_count(); most > 0 && count > most; --count) {
    if (weft_worker_remove(count - 1) != WEFT_OK) {
      return;
    }
  }
}

/* Returns the size of a task's stack; 0: Weft decides, by WEFT_STACK_SIZE. */
static size_t stack_wanted(void) {
  const size_t asked = chpl_task_getEnvCallStackSize();
  if (asked == 0) {
    return getenv("WEFT_STACK_SIZE") != NULL ? 0 : chpl_task_getDefaultCallStackSize();
  }
  if (asked < WEFT_STACK_MIN) {
    char text[120];
    snprintf(text, sizeof text, "CHPL_RT_CALL_STACK_SIZE is %zu bytes, but a task needs at least %u: it gets these", asked,
             WEFT_STACK_MIN);
    chpl_warning(text, 0, 0);
    return WEFT_STACK_MIN;
  }
  return asked;
}

void chpl_task_init(void) {
  weft_config config = WEFT_CONFIG_INIT;
  unsigned most_workers;
  config.workers = workers_wanted(&most_workers);
  config.stack_bytes = stack_wanted();
  config.caller_outside = true;
  chpl_weft_tasks_stay = chpl_env_rt_get_bool("WEFT_TASKS_STAY", false);
  if (chpl_numNodes > 1) {
    (void)setenv("WEFT_DEADLOCK", "off", 0); /* another locale may send what all tasks here wait for */
  }
  chpl_weft_reserve();
  const bool is_joined = weft_is_initialized(); /* a library of the program has started Weft: its workers stay */
  chpl_weft_owner_start(&config);
  if (!is_joined) {
    limit_workers(most_workers);
  }
}

/* ---- end ----------------------------------------------------------------------------------------- */

void chpl_task_exit(void) {
  if (!chpl_weft_owner_end()) {
    chpl_warning("a task runs on without a yield or a wait: the process ends while it runs", 0, 0);
  }
}

/* ---- the communication layer's OS thread --------------------------------------------------------- */

typedef struct comm_call {
  chpl_fn_p function;
  void *argument;
  int cpu; /* to which it is bound; below 0: none */
} comm_call;

static void *run_comm(void *memory) {
  const comm_call call = *(comm_call *)memory;
  free(memory);
#ifdef CHPL_WEFT_COMM_TASK_HAS_CPU
  if (call.cpu >= 0 && chpl_topo_bindCPU(call.cpu) != 0) {
    chpl_warning("the communication layer's task cannot be bound to its CPU", 0, 0);
  }
#endif
  chpl_task_bundle_t *bundle = chpl_weft_self()->bundle;
  bundle->filename = CHPL_FILE_IDX_COMM_TASK;
  bundle->requested_fn = call.function;
  call.function(call.argument);
  return NULL;
}

#ifdef CHPL_WEFT_COMM_TASK_HAS_CPU /* Makefile.weft looks into Chapel's header */
int chpl_task_createCommTask(chpl_fn_p function, void *argument, int cpu) {
#else
int chpl_task_createCommTask(chpl_fn_p function, void *argument) {
  const int cpu = -1;
#endif
  comm_call *call = malloc(sizeof *call);
  if (call == NULL) {
    return ENOMEM;
  }
  call->function = function;
  call->argument = argument;
  call->cpu = cpu;
  pthread_t thread;
  const int error = pthread_create(&thread, NULL, run_comm, call);
  if (error != 0) {
    free(call);
    return error;
  }
  return pthread_detach(thread);
}

#endif
