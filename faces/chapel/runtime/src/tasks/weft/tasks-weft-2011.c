/* The interface of the tree that the paper on tasking layers describes (version 1.3, 2011; K. B.
 * Wheeler and others, The Chapel Tasking Layer Over Qthreads).
 *
 * There the argument of a task is not copied: its function frees it. A cobegin or coforall adds its
 * tasks to a list (addToTaskList), starts them (processTaskList), helps (executeTasksInList), waits
 * by sync variables, and frees the list. Here the help is a join of each task, the newest first. A
 * begin adds a task that starts at once; nothing of it stays in the list. */
#include "chplrt.h" /* Chapel's build looks for it here */

#include "weft-layer.h"

#ifdef CHPL_WEFT_2011

#include "chpl-comm.h"

#include <stdlib.h>

#undef calloc /* Chapel's headers put its own memory layer before libc's calls */
#undef free

/* A task, in its thread's extension bytes. */
typedef struct task {
  chpl_fn_p function; /* null: a thread of the program's own */
  void *argument;
  chpl_taskID_t id;   /* 0: not asked for yet */
  uint64_t is_serial; /* its begins, cobegins and coforalls are calls */
} task;

struct chpl_task_list {
  chpl_fn_p function;
  void *argument;
  weft_thread *thread;          /* once it was started; null again once it was joined */
  struct chpl_task_list *older; /* added before */
  struct chpl_task_list *newer;
};

static size_t task_offset;
static chpl_taskID_t last_id;
static __thread task outside; /* of an OS thread */

static task *task_of(weft_thread *thread) { return weft_ext_bytes(thread, task_offset); }

static task *self(void) {
  weft_thread *thread = weft_self();
  return thread != NULL ? task_of(thread) : &outside;
}

/* ---- start and end ------------------------------------------------------------------------------- */

static void run(void *thread) {
  const task *mine = task_of(thread);
  mine->function(mine->argument);
}

void chpl_task_init(int32_t threads, uint64_t stack_bytes) {
  weft_config config = WEFT_CONFIG_INIT;
  static bool is_reserved = false; /* one OS thread starts the runtime */
  if (!is_reserved && weft_ext_reserve(sizeof(task), &task_offset) != WEFT_OK) {
    chpl_weft_fail("chpl_task_init");
  }
  is_reserved = true;
  weft_ext_show_function(run, task_offset + offsetof(task, function));
  weft_ext_name_stack_setting(run, "callStackSize", 0);
  const int32_t most = 1024; /* Weft's own limit */
  config.workers = threads > most ? (unsigned)most : threads > 0 ? (unsigned)threads : 0;
  config.stack_bytes = stack_bytes == 0 ? (size_t)8 << 20 : stack_bytes < WEFT_STACK_MIN ? WEFT_STACK_MIN : stack_bytes;
  config.caller_outside = true;
  chpl_weft_owner_start(&config);
}

void chpl_task_exit(void) {
  if (!chpl_weft_owner_end()) {
    chpl_warning("a task runs on without a yield or a wait: the process ends while it runs", 0, 0);
  }
}

void chpl_task_perPthreadInit(void) {}

/* ---- making tasks -------------------------------------------------------------------------------- */

static weft_thread *start(const char *call, chpl_fn_p function, void *argument, chpl_bool is_serial, bool is_detached) {
  weft_thread *thread = NULL;
  if (weft_ext_thread_make_in(NULL, run, is_detached ? WEFT_MAKE_DETACHED : 0, &thread) != WEFT_OK) {
    chpl_weft_fail(call);
  }
  task *one = task_of(thread);
  one->function = function;
  one->argument = argument;
  one->is_serial = is_serial;
  if (weft_ext_thread_start(thread) != WEFT_OK) {
    chpl_weft_fail(call);
  }
  return thread;
}

static void join(const char *call, weft_thread *thread) {
  if (weft_thread_join(thread) != WEFT_OK) {
    chpl_weft_fail(call);
  }
}

static void run_main(void *function) { ((void (*)(void))(uintptr_t)function)(); }

void chpl_task_callMain(void (*function)(void)) {
  join("chpl_task_callMain", start("chpl_task_callMain", run_main, (void *)(uintptr_t)function, 0, false));
}

void chpl_task_begin(chpl_fn_p function, void *argument, chpl_bool ignore_serial, chpl_bool is_serial, chpl_task_list_p entry) {
  (void)entry;
  if (!ignore_serial && chpl_task_getSerial()) {
    function(argument);
  } else {
    (void)start("chpl_task_begin", function, argument, is_serial, true);
  }
}

void chpl_task_addToTaskList(chpl_fn_int_t fid, void *argument, chpl_task_list_p *list, int32_t list_locale, chpl_bool is_begin,
                             int lineno, chpl_string filename) {
  (void)list_locale;
  (void)lineno;
  (void)filename;
  if (is_begin) {
    chpl_task_begin(chpl_ftable[fid], argument, 0, 0, NULL);
    return;
  }
  chpl_task_list_p entry = calloc(1, sizeof *entry);
  if (entry == NULL) {
    chpl_internal_error("chpl_task_addToTaskList: no memory for an entry of a list of tasks");
  }
  entry->function = chpl_ftable[fid];
  entry->argument = argument;
  entry->older = *list;
  if (*list != NULL) {
    (*list)->newer = entry;
  }
  *list = entry;
}

void chpl_task_processTaskList(chpl_task_list_p list) {
  chpl_task_list_p oldest = list;
  while (oldest != NULL && oldest->older != NULL) {
    oldest = oldest->older;
  }
  for (chpl_task_list_p entry = oldest; entry != NULL; entry = entry->newer) {
    if (chpl_task_getSerial()) {
      entry->function(entry->argument);
    } else {
      entry->thread = start("chpl_task_processTaskList", entry->function, entry->argument, 0, false);
    }
  }
}

void chpl_task_executeTasksInList(chpl_task_list_p list) {
  for (chpl_task_list_p entry = list; entry != NULL; entry = entry->older) {
    if (entry->thread != NULL) {
      join("chpl_task_executeTasksInList", entry->thread);
      entry->thread = NULL;
    }
  }
}

void chpl_task_freeTaskList(chpl_task_list_p list) {
  while (list != NULL) {
    chpl_task_list_p entry = list;
    list = entry->older;
    if (entry->thread != NULL && weft_thread_detach(entry->thread) != WEFT_OK) {
      chpl_weft_fail("chpl_task_freeTaskList");
    }
    free(entry);
  }
}

/* ---- the calling task ---------------------------------------------------------------------------- */

chpl_taskID_t chpl_task_getId(void) {
  task *mine = self();
  if (mine->id == chpl_nullTaskID) {
    mine->id = __atomic_add_fetch(&last_id, 1, __ATOMIC_RELAXED);
  }
  return mine->id;
}

chpl_bool chpl_task_getSerial(void) { return self()->is_serial != 0; }

void chpl_task_setSerial(chpl_bool is_serial) { self()->is_serial = is_serial; }

void chpl_task_yield(void) {
  if (weft_yield_or_wait(WEFT_FOREVER) != WEFT_OK) {
    weft_yield();
  }
}

void chpl_task_sleep(int seconds) {
  if (weft_sleep_ns(seconds > 0 ? (uint64_t)seconds * 1000000000u : 0) != WEFT_OK) {
    chpl_weft_fail("chpl_task_sleep");
  }
}

/* ---- what the layer has -------------------------------------------------------------------------- */

uint64_t chpl_task_getCallStackSize(void) { return weft_ext_stack_bytes(); }
int32_t chpl_task_getMaxThreads(void) { return 0; }
int32_t chpl_task_getMaxThreadsLimit(void) { return 0; /* that of the system */ }

#endif
