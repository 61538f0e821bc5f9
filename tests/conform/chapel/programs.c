/* What the interface of 2.9 has: functions are looked up in the table of the program that is named,
 * and the communication layer's task is bound to a CPU. */
#include "runtime.h"

typedef struct argument {
  chpl_task_bundle_t head;
  int *value;
} argument;

/* 1: two programs with tables of their own. */
static void add_one(void *memory) { __atomic_fetch_add(((argument *)memory)->value, 1, __ATOMIC_RELEASE); }
static void add_ten(void *memory) {
  const argument *it = memory;
  CHECK(it->head.lineno == 5 && it->head.filename == 6 && it->head.requested_fid == 0);
  __atomic_fetch_add(it->value, 10, __ATOMIC_RELEASE);
}

static c_sublocid_t same(c_sublocid_t full) { return full; }
static const chpl_fn_p other_table[] = {add_ten, NULL};
static chpl_rt_prginfo other_program = {2, {other_table, same}};

static void await(const int *value, int wanted) {
  while (__atomic_load_n(value, __ATOMIC_ACQUIRE) != wanted) {
    chpl_task_yield();
  }
}

static void programs(void) {
  stand_in_function(0, add_one);
  int value = 0;
  argument it;
  memset(&it, 0, sizeof it);
  it.value = &value;
  chpl_rt_task_add_task(&stand_in_root_program, 0, &it.head, sizeof it, c_sublocid_none_val, 5, 6);
  await(&value, 1);
  chpl_rt_task_add_task(&other_program, 0, &it.head, sizeof it, c_sublocid_none_val, 5, 6);
  await(&value, 11);
  CHECK(!it.head.is_executeOn);
  chpl_rt_task_task_ftable_call(&other_program, 0, &it, sizeof it, c_sublocid_none_val, 5, 6);
  await(&value, 21);
  CHECK(it.head.is_executeOn);
  chpl_rt_task_task_ftable_call(&stand_in_root_program, 0, &it, sizeof it, c_sublocid_none_val, 7, 8);
  await(&value, 22);
  chpl_task_startMovedTask(0, NULL, &it, sizeof it, c_sublocid_none_val, chpl_nullTaskID);
  await(&value, 23);
  chpl_task_startMovedTask(FID_NONE, add_one, &it, sizeof it, c_sublocid_none_val, chpl_nullTaskID);
  await(&value, 24);
}

/* 2: the task's sublocale is the one that was asked for, else 0. */
static void sublocales(void) {
  CHECK(chpl_task_getSubloc() == 0);
  chpl_task_setSubloc(1);
  CHECK(chpl_task_getRequestedSubloc() == 1 && chpl_task_getSubloc() == 1);
  chpl_task_setSubloc(c_sublocid_any_val);
  CHECK(chpl_task_getSubloc() == 0);
  CHECK(CHPL_TASK_IMPL_HAS_FIXED_NUM_THREADS());
}

/* 3: the communication layer's task. */
static int comm_runs;
static void count_comm(void *value) { __atomic_fetch_add((int *)value, 1, __ATOMIC_RELEASE); }

static void start_comm(int cpu, int runs, int bound_to, const char *warning) {
  stand_in_cpu = -1;
  stand_in_warning[0] = 0;
  CHECK(chpl_task_createCommTask(count_comm, &comm_runs, cpu) == 0);
  await(&comm_runs, runs);
  CHECK(__atomic_load_n(&stand_in_cpu, __ATOMIC_RELAXED) == bound_to);
  CHECK(strstr(stand_in_warning, warning) != NULL);
}

static void comm_tasks(void) {
  start_comm(-1, 1, -1, "");
  start_comm(1, 2, 1, "");
  CHECK(stand_in_warning[0] == 0);
  start_comm(stand_in_cpus, 3, stand_in_cpus, "cannot be bound");
}

static void call_what_is_not_there(void) {
  chpl_task_init();
  argument it;
  memset(&it, 0, sizeof it);
  chpl_rt_task_task_ftable_call(&other_program, 1, &it, sizeof it, c_sublocid_none_val, 1, 1);
}

static void add_no_index(void) {
  chpl_task_init();
  argument it;
  memset(&it, 0, sizeof it);
  chpl_rt_task_add_task(&other_program, FID_NONE, &it.head, sizeof it, c_sublocid_none_val, 1, 1);
}

static void chapel_main(void) {
  programs();
  sublocales();
  comm_tasks();
}

int main(void) {
  dies_with(call_what_is_not_there, "chpl_rt_task_task_ftable_call", "has no function 1");
  dies_with(add_no_index, "chpl_rt_task_add_task", "has no function -1");
  chpl_task_init();
  chpl_task_callMain(chapel_main);
  chpl_task_exit();
  return 0;
}
