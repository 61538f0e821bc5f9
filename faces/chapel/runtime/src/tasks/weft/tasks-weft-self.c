/* The caller: tasks, threads of Weft that the program made itself, and OS threads outside,
 * such as that of the communication layer. Each has a record when it is first asked for. */
#include "chplrt.h" /* Chapel's build looks for it here */

#include "weft-layer.h"

#ifndef CHPL_WEFT_2011

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static size_t extension_offset;
static weft_key record_key;
static chpl_taskID_t last_id;

/* A record with a bundle of its own. */
typedef struct record {
  chpl_weft_task task;
  chpl_task_bundle_t bundle;
} record;

static void create_key(void) {
  if (weft_key_create(free, &record_key) != WEFT_OK) {
    chpl_internal_error("no key of Weft's is left for the records of threads");
  }
}

void chpl_weft_reserve(void) {
  static bool is_reserved = false; /* Chapel starts its runtime from one OS thread */
  if (is_reserved) {
    return;
  }
  if (weft_ext_reserve(sizeof(chpl_weft_extension), &extension_offset) != WEFT_OK) {
    chpl_weft_fail("chpl_task_init");
  }
  is_reserved = true;
  chpl_weft_show_tasks(extension_offset + offsetof(chpl_weft_extension, function));
}

chpl_weft_extension *chpl_weft_extension_of(weft_thread *thread) { return weft_ext_bytes(thread, extension_offset); }

static chpl_weft_task *record_of_stranger(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  (void)pthread_once(&once, create_key);
  record *mine = weft_key_get(record_key);
  if (mine == NULL) {
    mine = calloc(1, sizeof *mine);
    if (mine == NULL || weft_key_set(record_key, mine) != WEFT_OK) {
      chpl_internal_error("no memory for what the runtime notes of a thread");
    }
    mine->task.bundle = &mine->bundle;
    mine->bundle.kind = CHPL_ARG_BUNDLE_KIND_TASK;
    mine->bundle.filename = CHPL_FILE_IDX_UNKNOWN;
    mine->bundle.requestedSubloc = c_sublocid_any_val;
    mine->bundle.requested_fid = FID_NONE;
  }
  return &mine->task;
}

chpl_weft_task *chpl_weft_running(void) {
  weft_thread *thread = weft_self();
  return thread != NULL ? chpl_weft_extension_of(thread)->task : NULL;
}

chpl_weft_task *chpl_weft_self(void) {
  chpl_weft_task *task = chpl_weft_running();
  return task != NULL ? task : record_of_stranger();
}

chpl_taskID_t chpl_weft_new_id(void) { return __atomic_add_fetch(&last_id, 1, __ATOMIC_RELAXED); }

/* ---- Chapel's questions -------------------------------------------------------------------------- */

chpl_taskID_t chpl_task_getId(void) {
  chpl_task_bundle_t *bundle = chpl_weft_self()->bundle;
  if (bundle->id == chpl_nullTaskID) {
    bundle->id = chpl_weft_new_id();
  }
  return bundle->id;
}

chpl_bool chpl_task_idEquals(chpl_taskID_t one, chpl_taskID_t other) { return one == other; }

char *chpl_task_idToString(char *buffer, size_t size, chpl_taskID_t id) {
  const int length = snprintf(buffer, size, "%" PRIu64, id);
  return length > 0 && (size_t)length < size ? buffer : NULL;
}

chpl_task_infoRuntime_t *chpl_task_getInfoRuntime(void) { return &chpl_weft_self()->info_runtime; }

chpl_task_infoChapel_t *chpl_task_getInfoChapel(void) { return &chpl_weft_self()->bundle->infoChapel; }

/* ---- sublocales: noted, as Weft places tasks by caches itself ------------------------------------ */

c_sublocid_t chpl_task_getRequestedSubloc(void) { return chpl_weft_self()->bundle->requestedSubloc; }

c_sublocid_t chpl_task_getSubloc(void) {
  const c_sublocid_t requested = chpl_task_getRequestedSubloc();
#ifdef CHPL_WEFT_PROGRAMS
  return requested >= 0 ? requested : 0;
#else
  return chpl_localeModel_sublocMerge(requested, 0);
#endif
}

void chpl_task_setSubloc(c_sublocid_t subloc) { chpl_weft_self()->bundle->requestedSubloc = subloc; }

/* ---- leaving the worker -------------------------------------------------------------------------- */

void chpl_task_yield(void) {
  chpl_weft_task *task = chpl_weft_running();
  if (task != NULL && chpl_weft_wait_for_children(task)) {
    return;
  }
  if (task != NULL) {
    chpl_weft_wake_parent(task);
  }
  /* Chapel yields in loops that wait for a word: where no other task is ready, the worker rests. */
  if (weft_yield_or_wait(WEFT_FOREVER) != WEFT_OK) {
    weft_yield();
  }
}

void chpl_task_sleep(double seconds) {
  const double longest = 9e9; /* some 285 years: beyond it the nanoseconds would not fit */
  const double wait = seconds > 0 ? seconds < longest ? seconds : longest : 0; /* not a number: 0 */
  if (weft_sleep_ns((uint64_t)(wait * 1e9)) != WEFT_OK) {
    chpl_weft_fail("chpl_task_sleep");
  }
}

/* ---- what the layer has -------------------------------------------------------------------------- */

uint32_t chpl_task_getMaxPar(void) { return weft_worker_count(); }

uint32_t chpl_weft_worker_count(void) { return weft_worker_count(); }

uint32_t chpl_weft_is_on_worker(void) { return weft_self() != NULL; }

uint32_t chpl_weft_tasks_move(void) { return !chpl_weft_tasks_stay; }

size_t chpl_task_getCallStackSize(void) { return weft_ext_stack_bytes(); }

chpl_bool chpl_task_guardPagesInUse(void) { return 1; /* every stack of Weft's ends in a guard */ }

#endif
