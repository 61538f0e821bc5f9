/* Making tasks: single ones, and those that a statement adds to its list and then joins.
 *
 * Chapel waits for tasks by reading a count again and again, with a yield between. A cobegin and a
 * coforall tell the layer first which tasks they made: it joins those, the newest first. A task that
 * has not started then runs on its parent's stack, and the parent sleeps for one that another worker
 * runs, so that the count is 0 when Chapel reads it. */
#include "chplrt.h" /* Chapel's build looks for it here */

#include "weft-layer.h"

#ifndef CHPL_WEFT_2011

#include "chpl-arg-bundle.h"
#include "chpl-tasks-callbacks-internal.h"

#include <stdlib.h>
#include <string.h>

static void tell(chpl_task_cb_event_kind_t event, chpl_task_bundle_t *bundle) {
  if (!chpl_task_have_callbacks(event)) {
    return;
  }
  if (bundle->id == chpl_nullTaskID) {
    bundle->id = chpl_weft_new_id();
  }
  chpl_task_do_callbacks(event, bundle->requested_fid, bundle->filename, bundle->lineno, bundle->id, bundle->is_executeOn);
}

/* ---- what a thread runs -------------------------------------------------------------------------- */

static void *argument_of(chpl_weft_task *task) { return task + 1; }

static void run(void *memory) {
  chpl_weft_task *task = memory;
  chpl_task_bundle_t *bundle = task->bundle;
  chpl_weft_extension *mine = chpl_weft_extension_of(weft_self());
  mine->task = task;
  mine->function = bundle->requested_fn;
  tell(chpl_task_cb_event_kind_begin, bundle);
  bundle->requested_fn(argument_of(task));
  tell(chpl_task_cb_event_kind_end, bundle);
  mine->task = NULL; /* its memory is given back: destructors of keys that ask get a record of their own */
  chpl_weft_end_family(task);
  if (task->is_allocated) {
    free(task);
  }
}

/* ---- making one ---------------------------------------------------------------------------------- */

typedef struct copied {
  const void *argument;
  size_t size;
  chpl_weft_children *parent;
} copied;

static void fill(void *memory, void *source) {
  const copied *from = source;
  chpl_weft_task *task = memory;
  memset(task, 0, sizeof *task);
  memcpy(argument_of(task), from->argument, from->size);
  task->bundle = chpl_argBundleTaskArgBundle(argument_of(task));
  task->parent = from->parent;
}

static weft_status start_large(copied from, size_t size, const weft_thread_attr *attr, weft_thread **out) {
  void *memory = malloc(size);
  if (memory == NULL) {
    return WEFT_NOMEM;
  }
  fill(memory, &from);
  ((chpl_weft_task *)memory)->is_allocated = true;
  const weft_status status = weft_thread_create(run, memory, attr, out);
  if (status != WEFT_OK) {
    free(memory);
  }
  return status;
}

void chpl_weft_start(const char *call, const void *argument, size_t size, weft_thread **out) {
  chpl_weft_task *maker = out == NULL ? chpl_weft_running() : NULL;
  copied from = {argument, size, maker != NULL ? chpl_weft_add_child(maker) : NULL};
  const size_t all = sizeof(chpl_weft_task) + size;
  static const weft_thread_attr staying = {sizeof staying, 0, NULL, NULL, false, false, WEFT_STARTING_WORKER, NULL, 0};
  const weft_thread_attr *attr = chpl_weft_tasks_stay ? &staying : NULL;
  const weft_status status = all <= WEFT_COPY_MAX ? weft_ext_thread_create_filled(run, all, fill, &from, attr, out, NULL)
                                                  : start_large(from, all, attr, out);
  if (status != WEFT_OK) {
    chpl_weft_fail(call);
  }
}

/* ---- Chapel's ways to make one ------------------------------------------------------------------- */

static void fill_head(chpl_task_bundle_t *bundle, chpl_fn_int_t fid, chpl_fn_p function, c_sublocid_t subloc, int lineno,
                      int32_t filename) {
  bundle->kind = CHPL_ARG_BUNDLE_KIND_TASK;
  bundle->is_executeOn = 0;
  bundle->lineno = lineno;
  bundle->filename = filename;
  bundle->requestedSubloc = subloc;
  bundle->requested_fid = fid;
  bundle->requested_fn = function;
  bundle->id = chpl_nullTaskID;
}

static chpl_fn_p function_of(const char *call, const chpl_fn_p *table, chpl_fn_int_t fid) {
  if (fid < 0 || table[fid] == NULL) {
    chpl_internal_error_v("%s: the function table has no function %d", call, (int)fid);
  }
  return table[fid];
}

static void add(const char *call, chpl_fn_int_t fid, chpl_fn_p function, chpl_task_bundle_t *bundle, size_t size,
                c_sublocid_t subloc, int lineno, int32_t filename, weft_thread **out) {
  fill_head(bundle, fid, function, subloc, lineno, filename);
  tell(chpl_task_cb_event_kind_create, bundle);
  chpl_weft_start(call, bundle, size, out);
}

/* The body of an on-statement. argument may be a bundle of the communication layer, within which the
 * task's own lies. */
static void start_on(const char *call, chpl_fn_int_t fid, chpl_fn_p function, void *argument, size_t size, c_sublocid_t subloc,
                     chpl_taskID_t id, int lineno, int32_t filename) {
  chpl_task_bundle_t *bundle = chpl_argBundleTaskArgBundle(argument);
  fill_head(bundle, fid, function, subloc, lineno, filename);
  bundle->is_executeOn = 1;
  bundle->id = id;
  tell(chpl_task_cb_event_kind_create, bundle);
  chpl_weft_start(call, argument, size, NULL);
}

#ifdef CHPL_WEFT_PROGRAMS

static const chpl_fn_p *table_of(const chpl_rt_prginfo *program) { return CHPL_RT_PRGINFO_DATA(program, chpl_ftable); }

void chpl_rt_task_add_task(chpl_rt_prginfo *program, chpl_fn_int_t fid, chpl_task_bundle_t *bundle, size_t size,
                           c_sublocid_t subloc, int32_t lineno, int32_t filename) {
  static const char call[] = "chpl_rt_task_add_task";
  add(call, fid, function_of(call, table_of(program), fid), bundle, size, subloc, lineno, filename, NULL);
}

void chpl_rt_task_task_ftable_call(chpl_rt_prginfo *program, chpl_fn_int_t fid, void *argument, size_t size, c_sublocid_t subloc,
                                   int32_t lineno, int32_t filename) {
  static const char call[] = "chpl_rt_task_task_ftable_call";
  start_on(call, fid, function_of(call, table_of(program), fid), argument, size, subloc, chpl_nullTaskID, lineno, filename);
}

static const chpl_fn_p *root_table(void) { return table_of(CHPL_RT_ROOT_PROGRAM_PLACEHOLDER); }

#else

static const chpl_fn_p *root_table(void) { return chpl_ftable; }

void chpl_task_addToTaskList(chpl_fn_int_t fid, chpl_task_bundle_t *bundle, size_t size, c_sublocid_t subloc, void **list,
                             c_nodeid_t list_node, chpl_bool is_begin, int lineno, int32_t filename) {
  static const char call[] = "chpl_task_addToTaskList";
  const chpl_fn_p function = function_of(call, chpl_ftable, fid);
  if (is_begin || list_node != chpl_nodeID) { /* several tasks may add to such a list; its count joins them */
    add(call, fid, function, bundle, size, subloc, lineno, filename, NULL);
    return;
  }
  weft_thread *thread = NULL;
  add(call, fid, function, bundle, size, subloc, lineno, filename, &thread);
  chpl_weft_extension_of(thread)->next = *list;
  *list = thread;
}

void chpl_task_executeTasksInList(void **list) {
  for (weft_thread *thread = *list; thread != NULL; thread = *list) {
    *list = chpl_weft_extension_of(thread)->next;
    if (weft_thread_join(thread) != WEFT_OK) {
      chpl_weft_fail("chpl_task_executeTasksInList");
    }
  }
}

void chpl_task_addTask(chpl_fn_int_t fid, chpl_task_bundle_t *bundle, size_t size, c_sublocid_t subloc, int lineno,
                       int32_t filename) {
  static const char call[] = "chpl_task_addTask";
  add(call, fid, function_of(call, chpl_ftable, fid), bundle, size, subloc, lineno, filename, NULL);
}

void chpl_task_taskCallFTable(chpl_fn_int_t fid, void *argument, size_t size, c_sublocid_t subloc, int lineno, int32_t filename) {
  static const char call[] = "chpl_task_taskCallFTable";
  start_on(call, fid, function_of(call, chpl_ftable, fid), argument, size, subloc, chpl_nullTaskID, lineno, filename);
}

#endif

void chpl_task_startMovedTask(chpl_fn_int_t fid, chpl_fn_p function, void *argument, size_t size, c_sublocid_t subloc,
                              chpl_taskID_t id) {
  static const char call[] = "chpl_task_startMovedTask";
  if (function == NULL) {
    function = function_of(call, root_table(), fid);
  }
  start_on(call, fid, function, argument, size, subloc, id, 0, CHPL_FILE_IDX_UNKNOWN);
}

/* ---- the main task ------------------------------------------------------------------------------- */

typedef struct main_bundle {
  chpl_task_bundle_t head;
  void (*function)(void);
} main_bundle;

static void run_main(void *argument) { ((main_bundle *)argument)->function(); }

void chpl_task_callMain(void (*function)(void)) {
  static const char call[] = "chpl_task_callMain";
  main_bundle bundle;
  memset(&bundle, 0, sizeof bundle);
  fill_head(&bundle.head, FID_NONE, run_main, c_sublocid_any_val, 0, CHPL_FILE_IDX_MAIN_TASK);
  bundle.head.id = chpl_weft_new_id();
  bundle.function = function;
  tell(chpl_task_cb_event_kind_create, &bundle.head);
  weft_thread *thread = NULL;
  chpl_weft_start(call, &bundle, sizeof bundle, &thread);
  if (weft_thread_join(thread) != WEFT_OK) {
    chpl_weft_fail(call);
  }
}

void chpl_weft_show_tasks(size_t function_offset) {
  weft_ext_show_function(run, function_offset);
  weft_ext_name_stack_setting(NULL, "CHPL_RT_CALL_STACK_SIZE", 0);
}

#endif
