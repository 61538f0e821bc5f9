/* What the tests have in the place of Chapel's runtime: see runtime.h. */
#include "runtime.h"

#include <stdarg.h>
#include <sys/wait.h>
#include <unistd.h>

int32_t stand_in_threads = 2;
int32_t stand_in_comm_limit = 0;
int stand_in_cpus = 4;
size_t stand_in_stack_bytes = 0;
chpl_bool stand_in_tasks_stay = false;
char stand_in_warning[256];
void (*stand_in_callback)(chpl_task_cb_event_kind_t event, chpl_fn_int_t fid, int32_t filename, int lineno, uint64_t id,
                          int is_on);

c_nodeid_t chpl_nodeID = 0;
int32_t chpl_numNodes = 1;

/* ---- the function table: constant in generated code, so each entry looks into a table of ours --------- */

static chpl_fn_p functions[8];

static void call_0(void *bundle) { functions[0](bundle); }
static void call_1(void *bundle) { functions[1](bundle); }
static void call_2(void *bundle) { functions[2](bundle); }
static void call_3(void *bundle) { functions[3](bundle); }
static void call_4(void *bundle) { functions[4](bundle); }
static void call_5(void *bundle) { functions[5](bundle); }
static void call_6(void *bundle) { functions[6](bundle); }

extern const chpl_fn_p chpl_ftable[];
const chpl_fn_p chpl_ftable[] = {call_0, call_1, call_2, call_3, call_4, call_5, call_6, NULL};

void stand_in_function(chpl_fn_int_t fid, chpl_fn_p function) { functions[fid] = function; }

/* ---- settings and lines ---------------------------------------------------------------------------- */

int32_t chpl_comm_getMaxThreads(void) { return stand_in_comm_limit; }
int chpl_topo_getNumCPUsPhysical(chpl_bool accessible_only) { return accessible_only ? stand_in_cpus : 0; }
int chpl_topo_getNumCPUsLogical(chpl_bool accessible_only) { return accessible_only ? stand_in_cpus : 0; }
int32_t chpl_task_getenvNumThreadsPerLocale(void) { return stand_in_threads; }
size_t chpl_task_getEnvCallStackSize(void) { return stand_in_stack_bytes; }
size_t chpl_task_getDefaultCallStackSize(void) { return (size_t)8 << 20; }
#ifdef STAND_IN_2_9
static c_sublocid_t subloc_to_execution_subloc(c_sublocid_t full) { return full; }
chpl_rt_prginfo stand_in_root_program = {1, {chpl_ftable, subloc_to_execution_subloc}};
int stand_in_cpu = -1;
int chpl_topo_bindCPU(int cpu) {
  __atomic_store_n(&stand_in_cpu, cpu, __ATOMIC_RELAXED);
  return cpu >= stand_in_cpus;
}
#endif
c_sublocid_t chpl_localeModel_sublocMerge(c_sublocid_t full, c_sublocid_t execution);
c_sublocid_t chpl_localeModel_sublocMerge(c_sublocid_t full, c_sublocid_t execution) { return full >= 0 ? full : execution; }
chpl_bool chpl_env_rt_get_bool(const char *name, chpl_bool usual);
chpl_bool chpl_env_rt_get_bool(const char *name, chpl_bool usual) {
  return strcmp(name, "WEFT_TASKS_STAY") == 0 ? stand_in_tasks_stay : usual;
}

void chpl_warning(const char *message, int32_t lineno, int32_t filename) {
  (void)lineno;
  (void)filename;
  snprintf(stand_in_warning, sizeof stand_in_warning, "%s", message);
}

void chpl_internal_error(const char *message) {
  fprintf(stderr, "internal error: %s\n", message);
  _exit(3);
}

void chpl_internal_error_v(const char *format, ...) {
  va_list list;
  va_start(list, format);
  fputs("internal error: ", stderr);
  vfprintf(stderr, format, list);
  fputc('\n', stderr);
  va_end(list);
  _exit(3);
}

int chpl_task_have_callbacks(chpl_task_cb_event_kind_t event) {
  (void)event;
  return stand_in_callback != NULL;
}

void chpl_task_do_callbacks(chpl_task_cb_event_kind_t event, chpl_fn_int_t fid, int32_t filename, int lineno, uint64_t id,
                            int is_on) {
  stand_in_callback(event, fid, filename, lineno, id, is_on);
}

static int status_and_lines(void (*body)(void), char *said, size_t most) {
  int ends[2];
  CHECK(pipe(ends) == 0);
  const pid_t child = fork();
  CHECK(child >= 0);
  if (child == 0) {
    CHECK(dup2(ends[1], 2) == 2);
    body();
    _exit(0);
  }
  close(ends[1]);
  size_t length = 0;
  for (ssize_t got = 1; got > 0 && length < most - 1; length += got > 0 ? (size_t)got : 0) {
    got = read(ends[0], said + length, most - 1 - length);
  }
  said[length] = 0;
  close(ends[0]);
  int status = 0;
  CHECK(waitpid(child, &status, 0) == child);
  return status;
}

static void check_said(bool is_well, int status, const char *said, const char *text, const char *other) {
  if (!is_well || strstr(said, text) == NULL || strstr(said, other) == NULL) {
    fprintf(stderr, "status %x, said: %s\n", (unsigned)status, said);
    abort();
  }
}

void dies_with(void (*body)(void), const char *text, const char *other) {
  char said[4096];
  const int status = status_and_lines(body, said, sizeof said);
  check_said(WIFEXITED(status) && WEXITSTATUS(status) == 3, status, said, text, other);
}

void ends_with(void (*body)(void), const char *text, const char *other) {
  char said[4096];
  const int status = status_and_lines(body, said, sizeof said);
  check_said(!WIFEXITED(status) || WEXITSTATUS(status) != 0, status, said, text, other);
}

/* ---- a statement ----------------------------------------------------------------------------------- */

typedef struct child_bundle {
  chpl_task_bundle_t head;
  end_count *count;
  void *argument;
} child_bundle;

void add_child(end_count *count, chpl_fn_int_t fid, void *argument, int is_begin) {
  child_bundle bundle;
  memset(&bundle, 0, sizeof bundle);
  bundle.head.infoChapel = *chpl_task_getInfoChapel();
  bundle.count = count;
  bundle.argument = argument;
  __atomic_fetch_add(&count->left, 1, __ATOMIC_RELEASE);
#ifdef STAND_IN_2_9
  (void)is_begin; /* such a tree has no lists */
  chpl_rt_task_add_task(&stand_in_root_program, fid, &bundle.head, sizeof bundle, c_sublocid_any_val, 17, 1);
#else
  chpl_task_addToTaskList(fid, &bundle.head, sizeof bundle, c_sublocid_any_val, &count->list, chpl_nodeID, is_begin, 17, 1);
#endif
}

void child_ends(end_count *count) { __atomic_fetch_sub(&count->left, 1, __ATOMIC_RELEASE); }

void wait_for_children(end_count *count) {
#ifndef STAND_IN_2_9
  chpl_task_executeTasksInList(&count->list);
#endif
  while (__atomic_load_n(&count->left, __ATOMIC_ACQUIRE) != 0) {
    chpl_task_yield();
  }
}

void *argument_of_child(void *bundle) { return ((child_bundle *)bundle)->argument; }

end_count *statement_of_child(void *bundle) { return ((child_bundle *)bundle)->count; }
