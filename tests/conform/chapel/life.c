/* The start and the end of the layer, its limits, and the communication layer's OS thread. */
#include "runtime.h"

#include <pthread.h>
#include <semaphore.h>
#include <sys/wait.h>
#include <unistd.h>

/* Tasks that are dropped at the end free nothing: also not the word that a parent shares with them. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void) { return "leak:chpl_weft_add_child"; }

static void nothing(void *unused) { (void)unused; }

/* 1: before the start, and after the end, what needs a runtime says so by name. */
static void add_too_early(void) {
  end_count count = {0, NULL};
  add_child(&count, 0, NULL, 0);
}
static void nothing_to_do(void) {}
static void main_too_early(void) { chpl_task_callMain(nothing_to_do); }
static void move_too_early(void) {
  chpl_task_bundle_t bundle;
  memset(&bundle, 0, sizeof bundle);
  chpl_task_startMovedTask(FID_NONE, nothing, &bundle, sizeof bundle, c_sublocid_any_val, chpl_nullTaskID);
}
static void call_too_early(void) {
  chpl_task_bundle_t bundle;
  memset(&bundle, 0, sizeof bundle);
  chpl_task_taskCallFTable(0, &bundle, sizeof bundle, c_sublocid_any_val, 1, 1);
}
static void init_twice(void) {
  chpl_task_init();
  chpl_task_init();
}
static void call_what_is_not_there(void) {
  chpl_task_bundle_t bundle;
  memset(&bundle, 0, sizeof bundle);
  chpl_task_init();
  chpl_task_taskCallFTable(7, &bundle, sizeof bundle, c_sublocid_any_val, 1, 1);
}
static void call_no_index(void) {
  end_count count = {0, NULL};
  chpl_task_init();
  add_child(&count, -1, NULL, 0);
}

static void refusals(void) {
  stand_in_function(0, nothing);
  dies_with(add_too_early, "chpl_task_addToTaskList", "chpl_task_init was not called");
  dies_with(main_too_early, "chpl_task_callMain", "chpl_task_init was not called");
  dies_with(move_too_early, "chpl_task_startMovedTask", "chpl_task_init was not called");
  dies_with(call_too_early, "chpl_task_taskCallFTable", "chpl_task_init was not called");
  dies_with(init_twice, "chpl_task_init", "it was called before");
  dies_with(call_what_is_not_there, "chpl_task_taskCallFTable", "has no function 7");
  dies_with(call_no_index, "chpl_task_addToTaskList", "has no function -1");
  void *empty = NULL;
  chpl_task_executeTasksInList(&empty);
}

/* 2: an end before any start, twice, and starts after ends. */
static int mains;
static void count_main(void) {
  ++mains;
  CHECK(CHPL_TASK_IMPL_IS_FIXED_THREAD());
}

static void ends(void) {
  chpl_task_exit();
  for (int round = 0; round < 3; ++round) {
    chpl_task_init();
    chpl_task_callMain(count_main);
    CHECK(!CHPL_TASK_IMPL_IS_FIXED_THREAD()); /* the caller stays an OS thread */
    chpl_task_callMain(count_main);
    chpl_task_exit();
    chpl_task_exit();
  }
  CHECK(mains == 6);
}

/* 3: limits: more threads than CPUs, the communication layer's, small and large stacks. */
static unsigned workers;
static size_t stack_bytes;
static void note_limits(void) {
  workers = chpl_task_getMaxPar();
  stack_bytes = chpl_task_getCallStackSize();
}

static void with_limits(int32_t threads, int32_t comm_limit, size_t stack, unsigned wanted, size_t wanted_stack,
                        const char *warning) {
  stand_in_threads = threads;
  stand_in_comm_limit = comm_limit;
  stand_in_stack_bytes = stack;
  stand_in_warning[0] = 0;
  chpl_task_init();
  chpl_task_callMain(note_limits);
  chpl_task_exit();
  CHECK(workers == wanted);
  CHECK(stack_bytes == wanted_stack);
  CHECK(warning == NULL ? stand_in_warning[0] == 0 : strstr(stand_in_warning, warning) != NULL);
  stand_in_threads = 2;
  stand_in_comm_limit = 0;
  stand_in_stack_bytes = 0;
}

static void limits(void) {
  const size_t usual = (size_t)8 << 20;
  const int cpus = stand_in_cpus;
  stand_in_threads = 0; /* not set: as many as Weft's own choice, which knows of quotas, and not more than cores */
  stand_in_cpus = 1000;
  chpl_task_init();
  const unsigned own_choice = chpl_task_getMaxPar();
  chpl_task_exit();
  for (stand_in_cpus = 1; stand_in_cpus <= 4; ++stand_in_cpus) {
    const unsigned cores = (unsigned)stand_in_cpus;
    with_limits(0, 0, 0, own_choice < cores ? own_choice : cores, usual, NULL);
  }
  stand_in_cpus = cpus;
  with_limits(1, 0, 0, 1, usual, NULL);
  with_limits(3, 0, (size_t)1 << 20, 3, (size_t)1 << 20, NULL);
  with_limits(1000000, 0, 0, 4, usual, "CHPL_RT_NUM_THREADS_PER_LOCALE is 1000000, but this locale has 4 CPUs");
  with_limits(4, 2, 0, 2, usual, NULL);
  with_limits(0, 1, 0, 1, usual, NULL);
  with_limits(0, 3, 0, own_choice < 3 ? own_choice : 3, usual, NULL);
  with_limits(2, 0, 2048, 2, 16384, "CHPL_RT_CALL_STACK_SIZE is 2048 bytes");
  with_limits(2, 0, 16384, 2, 16384, NULL);
  CHECK(setenv("WEFT_WORKERS", "5", 1) == 0 && setenv("WEFT_STACK_SIZE", "65536", 1) == 0);
  with_limits(0, 0, 0, 5, 65536, NULL);
  with_limits(2, 0, 131072, 2, 131072, NULL);
  CHECK(unsetenv("WEFT_WORKERS") == 0 && unsetenv("WEFT_STACK_SIZE") == 0);
}

/* 4: the communication layer's OS thread makes tasks, and waits with them. */
static chpl_sync_aux_t asked, answered;
static sem_t comm_is_done;

static void answer(void *unused) {
  (void)unused;
  chpl_sync_waitFullAndLock(&asked, 1, 1);
  chpl_sync_markAndSignalEmpty(&asked);
  chpl_sync_waitEmptyAndLock(&answered, 1, 1);
  chpl_sync_markAndSignalFull(&answered);
}

static void serve(void *argument) {
  CHECK(argument == &comm_is_done);
  CHECK(!CHPL_TASK_IMPL_IS_FIXED_THREAD() && chpl_task_getId() != chpl_nullTaskID);
  for (int round = 0; round < 100; ++round) {
    chpl_task_bundle_t bundle;
    memset(&bundle, 0, sizeof bundle);
    chpl_task_startMovedTask(FID_NONE, answer, &bundle, sizeof bundle, c_sublocid_any_val, chpl_nullTaskID);
    chpl_sync_waitEmptyAndLock(&asked, 1, 1);
    chpl_sync_markAndSignalFull(&asked);
    chpl_sync_waitFullAndLock(&answered, 1, 1);
    chpl_sync_markAndSignalEmpty(&answered);
  }
  CHECK(sem_post(&comm_is_done) == 0);
}

static void comm_thread(void) {
  CHECK(sem_init(&comm_is_done, 0, 0) == 0);
  chpl_sync_initAux(&asked);
  chpl_sync_initAux(&answered);
  chpl_task_init();
  CHECK(chpl_task_createCommTask(serve, &comm_is_done) == 0);
  chpl_task_callMain(count_main);
  while (sem_wait(&comm_is_done) != 0) {
  }
  chpl_task_exit();
}

/* 5: the end drops what is blocked, ready or asleep. */
static chpl_sync_aux_t never;

static void wait_for_ever(void *bundle) {
  (void)bundle;
  chpl_sync_waitFullAndLock(&never, 1, 1);
  abort();
}

static void sleep_for_ever(void *bundle) {
  (void)bundle;
  chpl_task_sleep(1e30);
  abort();
}

static void yield_for_ever(void *bundle) {
  (void)bundle;
  for (;;) {
    chpl_task_yield();
  }
}

static void leave_tasks(void) {
  end_count count = {0, NULL};
  stand_in_function(1, wait_for_ever);
  stand_in_function(2, sleep_for_ever);
  stand_in_function(3, yield_for_ever);
  for (int index = 0; index < 30; ++index) {
    add_child(&count, (chpl_fn_int_t)(1 + index % 3), NULL, 1);
  }
  chpl_task_yield();
}

static void drops(void) {
  chpl_sync_initAux(&never);
  chpl_task_init();
  chpl_task_callMain(leave_tasks);
  chpl_task_exit();
}

/* 6: a task that never switches does not keep the end, and a task may end the process. */
static void run_for_ever(void *bundle) {
  (void)bundle;
  for (volatile int spin = 0;; spin = !spin) {
  }
}

static void leave_one_running(void) {
  end_count count = {0, NULL};
  stand_in_function(4, run_for_ever);
  add_child(&count, 4, NULL, 1);
  while (chpl_task_getNumQueuedTasks() != 0) {
    chpl_task_sleep(0.001);
  }
}

static void end_beside_a_running_task(void) {
  chpl_task_init();
  chpl_task_callMain(leave_one_running);
  chpl_task_exit();
  _exit(strstr(stand_in_warning, "a task runs on without a yield") != NULL ? 5 : 6);
}

static void exit_now(void *bundle) {
  (void)bundle;
  chpl_task_exit();
  chpl_task_exit();
  _exit(5);
}

static void exit_in_a_task(void) {
  end_count count = {0, NULL};
  leave_tasks();
  stand_in_function(5, exit_now);
  add_child(&count, 5, NULL, 0);
  chpl_task_executeTasksInList(&count.list);
  _exit(6);
}

static void end_by_a_task(void) {
  chpl_sync_initAux(&never);
  chpl_task_init();
  chpl_task_callMain(exit_in_a_task);
  _exit(7);
}

/* 7: an overflow names the task's function and Chapel's variable. */
#if NAMES_OVERFLOWS
static int deep(volatile char *above) {
  volatile char frame[4096];
  frame[0] = above[0];
  return frame[0] == 0 ? 0 : deep(frame) + frame[0];
}

static void overflow_in_task(void *bundle) {
  volatile char top = 1;
  (void)deep(&top);
  child_ends(statement_of_child(bundle));
}

static void run_too_deep(void) {
  end_count count = {0, NULL};
  stand_in_function(6, overflow_in_task);
  add_child(&count, 6, NULL, 1);
  wait_for_children(&count);
}

/* A bundle that Weft does not copy into the thread's record. */
static void run_too_deep_with_much(void) {
  static struct {
    chpl_task_bundle_t head;
    char rest[4096];
  } large;
  void *list = NULL;
  stand_in_function(6, overflow_in_task);
  chpl_task_addToTaskList(6, &large.head, sizeof large, c_sublocid_any_val, &list, chpl_nodeID, 1, 17, 1);
  for (;;) {
    chpl_task_yield();
  }
}

static void overflow(void) {
  chpl_task_init();
  chpl_task_callMain(run_too_deep);
}

static void overflow_with_much(void) {
  chpl_task_init();
  chpl_task_callMain(run_too_deep_with_much);
}
#endif

static int status_of(void (*body)(void)) {
  const pid_t child = fork();
  CHECK(child >= 0);
  if (child == 0) {
    body();
    _exit(1);
  }
  int status = 0;
  CHECK(waitpid(child, &status, 0) == child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

int main(void) {
  CHECK(status_of(end_beside_a_running_task) == 5);
  CHECK(status_of(end_by_a_task) == 5);
#if NAMES_OVERFLOWS
  ends_with(overflow, "CHPL_RT_CALL_STACK_SIZE", "call_6");
  ends_with(overflow_with_much, "CHPL_RT_CALL_STACK_SIZE", "call_6");
#endif
  refusals();
  ends();
  limits();
  comm_thread();
  drops();
  return 0;
}
