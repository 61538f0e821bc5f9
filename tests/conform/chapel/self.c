/* What a task asks of itself and of the layer: numbers, private data, places, counts, time. */
#include "runtime.h"

#include <math.h>
#include <pthread.h>
#include <time.h>

static double seconds_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* 1: every task, the main task and every OS thread outside has a number that it keeps. */
enum { TASKS = 64 };
static chpl_taskID_t ids[TASKS];

static void note_id(void *bundle) {
  const chpl_taskID_t id = chpl_task_getId();
  chpl_task_yield();
  CHECK(id != chpl_nullTaskID && chpl_task_idEquals(id, chpl_task_getId()));
  *(chpl_taskID_t *)argument_of_child(bundle) = id;
  child_ends(statement_of_child(bundle));
}

static void *note_id_outside(void *unused) {
  (void)unused;
  static __thread chpl_taskID_t id;
  id = chpl_task_getId();
  CHECK(id != chpl_nullTaskID && id == chpl_task_getId());
  CHECK(chpl_task_getInfoChapel() != NULL && chpl_task_getInfoRuntime() != NULL);
  CHECK(chpl_task_getRequestedSubloc() == c_sublocid_any_val);
  chpl_task_yield();
  chpl_task_sleep(0.001);
  CHECK(!CHPL_TASK_IMPL_IS_FIXED_THREAD());
  return (void *)(uintptr_t)id;
}

static void numbers(void) {
  end_count count = {0, NULL};
  stand_in_function(0, note_id);
  for (int index = 0; index < TASKS; ++index) {
    add_child(&count, 0, &ids[index], index % 2);
  }
  wait_for_children(&count);
  const chpl_taskID_t mine = chpl_task_getId();
  for (int index = 0; index < TASKS; ++index) {
    CHECK(!chpl_task_idEquals(ids[index], mine));
    for (int other = 0; other < index; ++other) {
      CHECK(ids[index] != ids[other]);
    }
  }
  pthread_t outside;
  void *id = NULL;
  CHECK(pthread_create(&outside, NULL, note_id_outside, NULL) == 0);
  CHECK(pthread_join(outside, &id) == 0);
  CHECK((chpl_taskID_t)(uintptr_t)id != mine);
  char text[CHPL_TASK_ID_STRING_MAX_LEN];
  CHECK(chpl_task_idToString(text, sizeof text, UINT64_MAX) == text && strcmp(text, "18446744073709551615") == 0);
  CHECK(chpl_task_idToString(text, 2, 12) == NULL);
  CHECK(chpl_task_idToString(text, 3, 12) == text && strcmp(text, "12") == 0);
}

/* 2: private data stays with its task across yields; Chapel's 32 bytes come from the parent. */
static void check_private(void *bundle) {
  const unsigned char mark = (unsigned char)(uintptr_t)argument_of_child(bundle);
  CHECK(chpl_task_getInfoChapel()->data[7] == 77);
  CHECK(chpl_task_getInfoRuntime()->comm_data.last_acquire == 0);
  chpl_task_getInfoChapel()->data[7] = mark;
  chpl_task_getInfoRuntime()->comm_data.last_acquire = mark;
  for (int index = 0; index < 10; ++index) {
    chpl_task_yield();
    CHECK(chpl_task_getInfoChapel()->data[7] == mark);
    CHECK(chpl_task_getInfoRuntime()->comm_data.last_acquire == mark);
  }
  child_ends(statement_of_child(bundle));
}

static void private_data(void) {
  end_count count = {0, NULL};
  stand_in_function(1, check_private);
  chpl_task_getInfoChapel()->data[7] = 77;
  for (uintptr_t index = 0; index < TASKS; ++index) {
    add_child(&count, 1, (void *)index, index % 2);
  }
  wait_for_children(&count);
  CHECK(chpl_task_getInfoChapel()->data[7] == 77);
}

/* 3: sublocales are noted. */
static void sublocales(void) {
  CHECK(chpl_task_getRequestedSubloc() == c_sublocid_any_val);
  CHECK(chpl_task_getSubloc() == 0);
  chpl_task_setSubloc(2);
  CHECK(chpl_task_getRequestedSubloc() == 2 && chpl_task_getSubloc() == 2);
  chpl_task_setSubloc(c_sublocid_any_val);
}

/* 4: a sleep is a timer: others run meanwhile, and the worker rests. */
static int awake;

static void sleep_a_little(void *bundle) {
  chpl_task_sleep(0.05);
  __atomic_fetch_add(&awake, 1, __ATOMIC_RELAXED);
  child_ends(statement_of_child(bundle));
}

static void sleeps(void) {
  const double begin = seconds_now();
  end_count count = {0, NULL};
  stand_in_function(2, sleep_a_little);
  for (int index = 0; index < 20; ++index) {
    add_child(&count, 2, NULL, 1);
  }
  wait_for_children(&count);
  CHECK(awake == 20);
  CHECK(seconds_now() - begin >= 0.05);
  chpl_task_sleep(0);
  chpl_task_sleep(-1.0);
  chpl_task_sleep(NAN);
}

/* 5: a yield lets every other ready task run, and a loop of yields ends when a word changes. */
static int turn;

static void take_turns(void *bundle) {
  const int mine = (int)(intptr_t)argument_of_child(bundle);
  for (int round = 0; round < 20; ++round) {
    while (__atomic_load_n(&turn, __ATOMIC_ACQUIRE) % 4 != mine) {
      chpl_task_yield();
    }
    __atomic_fetch_add(&turn, 1, __ATOMIC_RELEASE);
  }
  child_ends(statement_of_child(bundle));
}

static void yields(void) {
  end_count count = {0, NULL};
  stand_in_function(3, take_turns);
  for (intptr_t index = 0; index < 4; ++index) {
    add_child(&count, 3, (void *)index, (int)(index % 2));
  }
  wait_for_children(&count);
  CHECK(turn == 80);
}

/* 6: how many tasks wait in queues, how many are blocked, how many workers idle. */
static chpl_sync_aux_t gate;

static void wait_at_gate(void *bundle) {
  chpl_sync_waitFullAndLock(&gate, 1, 1);
  chpl_sync_markAndSignalFull(&gate);
  child_ends(statement_of_child(bundle));
}

static void counts(void) {
  CHECK(chpl_task_getMaxPar() == 1 && chpl_task_getNumThreads() == 1);
  CHECK(CHPL_TASK_IMPL_GET_FIXED_NUM_THREADS() == 1 && CHPL_TASK_IMPL_IS_FIXED_THREAD());
  CHECK(CHPL_TASK_IMPL_CAN_MIGRATE_THREADS() == !stand_in_tasks_stay);
  CHECK(chpl_task_getNumIdleThreads() == 0);
  CHECK(chpl_task_getNumQueuedTasks() == 0 && chpl_task_getNumBlockedTasks() == 0);
  end_count count = {0, NULL};
  chpl_sync_initAux(&gate);
  stand_in_function(4, wait_at_gate);
  for (int index = 0; index < 5; ++index) {
    add_child(&count, 4, NULL, 1);
  }
  CHECK(chpl_task_getNumQueuedTasks() == 5); /* the one worker runs this task */
  while (chpl_task_getNumBlockedTasks() != 5) {
    chpl_task_yield();
  }
  CHECK(chpl_task_getNumQueuedTasks() == 0);
  chpl_sync_lock(&gate);
  chpl_sync_markAndSignalFull(&gate);
  wait_for_children(&count);
  CHECK(chpl_task_getNumBlockedTasks() == 0);
  CHECK(chpl_task_getCallStackSize() == (size_t)8 << 20);
  CHECK(chpl_task_guardPagesInUse());
}

static void chapel_main(void) {
  numbers();
  private_data();
  sublocales();
  sleeps();
  yields();
}

int main(void) {
  CHECK(chpl_task_getInfoRuntime() != NULL); /* other parts of the runtime ask before the start */
  CHECK(chpl_task_getNumQueuedTasks() == 0 && chpl_task_getNumIdleThreads() == 0);
  chpl_task_init();
  chpl_task_callMain(chapel_main);
  while (chpl_task_getNumIdleThreads() != 2) {
    chpl_task_yield();
  }
  chpl_task_exit();
  CHECK(chpl_task_getMaxPar() == 0);
  for (int stay = 0; stay < 2; ++stay) {
    stand_in_threads = 1;
    stand_in_tasks_stay = stay != 0;
    chpl_task_init();
    chpl_task_callMain(counts);
    chpl_task_exit();
  }
  return 0;
}
