/* The interface of 1.3: task lists, serial state, counts; and its sync variables. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "chpltasks.h"
#include "error.h"

/* ---- what Chapel and a generated program have ------------------------------------------------------ */

void chpl_warning(const char *message, int32_t lineno, chpl_string filename) {
  fprintf(stderr, "%s:%d: %s\n", filename == NULL ? "" : filename, (int)lineno, message);
}

void chpl_internal_error(const char *message) {
  fprintf(stderr, "internal error: %s\n", message);
  abort();
}

static int64_t order[3];
static int added;
static int64_t sum;

static void add(void *argument) { __atomic_fetch_add(&sum, *(int64_t *)argument, __ATOMIC_RELAXED); }
static void note_order(void *argument) { order[added++] = *(int64_t *)argument; }

typedef struct tree {
  int height;
  int64_t nodes;
} tree;
static void grow(void *argument);
static void wait_at_gate(void *unused);
static void note_serial(void *serial) { __atomic_store_n((int *)serial, chpl_task_getSerial() ? 1 : 2, __ATOMIC_RELEASE); }

chpl_fn_p chpl_ftable[] = {add, note_order, grow, wait_at_gate, note_serial};

/* ---- 1: cobegins and coforalls --------------------------------------------------------------------- */

static void statement(chpl_fn_int_t fid, void *arguments, size_t each, int count) {
  chpl_task_list_p list = NULL;
  for (int index = 0; index < count; ++index) {
    chpl_task_addToTaskList(fid, (char *)arguments + (size_t)index * each, &list, 0, false, 3, "test");
  }
  chpl_task_processTaskList(list);
  chpl_task_executeTasksInList(list);
  chpl_task_freeTaskList(list);
}

static void lists(void) {
  int64_t values[100];
  int64_t wanted = 0;
  for (int index = 0; index < 100; ++index) {
    values[index] = index;
    wanted += index;
  }
  for (int count = 0; count < 3; ++count) {
    statement(0, values, sizeof *values, count);
  }
  sum = 0;
  statement(0, values, sizeof *values, 100);
  CHECK(sum == wanted);
  chpl_task_setSerial(true);
  CHECK(chpl_task_getSerial());
  statement(1, values, sizeof *values, 3);
  CHECK(added == 3 && order[0] == 0 && order[1] == 1 && order[2] == 2);
  chpl_task_setSerial(false);
}

static void grow(void *argument) {
  tree *it = argument;
  it->nodes = 1;
  if (it->height > 1) {
    tree halves[2] = {{it->height - 1, 0}, {it->height - 1, 0}};
    statement(2, halves, sizeof *halves, 2);
    it->nodes += halves[0].nodes + halves[1].nodes;
  }
}

static void trees(void) {
  tree all = {IS_SLOW ? 7 : 12, 0};
  grow(&all);
  CHECK(all.nodes == ((int64_t)1 << all.height) - 1);
}

/* ---- 2: a list that is freed before its tasks were joined ------------------------------------------ */

static void freed_early(void) {
  static int64_t value = 5; /* it outlives the statement */
  chpl_task_list_p list = NULL;
  sum = 0;
  chpl_task_addToTaskList(0, &value, &list, 0, false, 3, "test");
  chpl_task_addToTaskList(0, &value, &list, 0, false, 3, "test");
  chpl_task_processTaskList(list);
  chpl_task_freeTaskList(list);
  while (__atomic_load_n(&sum, __ATOMIC_RELAXED) != 10) {
    chpl_task_yield();
  }
}

/* ---- 3: begins, and the serial state --------------------------------------------------------------- */

static int begun(chpl_bool ignore_serial, chpl_bool is_serial) {
  int serial = 0;
  chpl_task_begin(note_serial, &serial, ignore_serial, is_serial, NULL);
  while (__atomic_load_n(&serial, __ATOMIC_ACQUIRE) == 0) {
    chpl_task_yield();
  }
  return serial;
}

static void begins(void) {
  CHECK(begun(false, false) == 2);
  CHECK(begun(true, true) == 1);
  chpl_task_setSerial(true);
  CHECK(begun(false, false) == 1); /* a call, in this very task */
  CHECK(begun(true, false) == 2);
  chpl_task_setSerial(false);
  int serial = 0;
  chpl_task_list_p list = NULL;
  chpl_task_addToTaskList(4, &serial, &list, 0, true, 3, "test");
  chpl_task_executeTasksInList(list);
  while (__atomic_load_n(&serial, __ATOMIC_ACQUIRE) == 0) {
    chpl_task_yield();
  }
  chpl_task_freeTaskList(list);
}

/* ---- 4: counts, numbers, sync variables ------------------------------------------------------------ */

static chpl_sync_aux_t gate;

static void wait_at_gate(void *unused) {
  (void)unused;
  chpl_sync_waitFullAndLock(&gate, 1, "test");
  chpl_sync_markAndSignalFull(&gate);
}

static void counts(void) {
  CHECK(chpl_task_getNumThreads() == 2 && chpl_task_getMaxThreads() == 0 && chpl_task_getMaxThreadsLimit() == 0);
  CHECK(chpl_task_getCallStackSize() == (uint64_t)1 << 20);
  CHECK(chpl_task_getId() != chpl_nullTaskID && chpl_task_getId() == chpl_task_getId());
  chpl_sync_initAux(&gate);
  for (int index = 0; index < 5; ++index) {
    chpl_task_begin(wait_at_gate, NULL, false, false, NULL);
  }
  while (chpl_task_getNumBlockedTasks() != 5) {
    chpl_task_yield();
  }
  CHECK(chpl_task_getNumQueuedTasks() == 0 && chpl_task_getNumRunningTasks() == 6 && chpl_task_getNumIdleThreads() <= 1);
  int value = 0;
  CHECK(!chpl_sync_isFull(&value, &gate, true));
  chpl_sync_waitEmptyAndLock(&gate, 1, "test");
  chpl_sync_markAndSignalFull(&gate);
  CHECK(chpl_sync_isFull(&value, &gate, true));
  while (chpl_task_getNumBlockedTasks() != 0) {
    chpl_task_yield();
  }
  chpl_sync_lock(&gate);
  chpl_sync_unlock(&gate);
  chpl_sync_lock(&gate);
  chpl_sync_markAndSignalEmpty(&gate);
  CHECK(!chpl_sync_isFull(&value, &gate, false));
  chpl_sync_destroyAux(&gate);
  chpl_task_sleep(0);
  chpl_task_sleep(-1);
}

static void chapel_main(void) {
  lists();
  trees();
  freed_early();
  begins();
  counts();
}

int main(void) {
  chpl_task_exit(); /* before any start */
  for (int round = 0; round < 2; ++round) {
    added = 0;
    chpl_task_init(2, (uint64_t)1 << 20);
    chpl_task_perPthreadInit();
    chpl_task_callMain(chapel_main);
    chpl_task_exit();
  }
  chpl_task_init(1, 2048);
  CHECK(chpl_task_getCallStackSize() == 16384 && chpl_task_getNumThreads() == 1);
  chpl_task_exit();
  chpl_task_exit();
  return 0;
}
