/* Tasks: how statements make them and wait for them. */
#include "runtime.h"

static void count_run(void *bundle) {
  __atomic_fetch_add((int *)argument_of_child(bundle), 1, __ATOMIC_RELAXED);
  child_ends(statement_of_child(bundle));
}

/* 1: the callbacks: create by the parent, begin and end by the task, with one id. No other task has
 * begun yet. */
static int events[3];
static uint64_t id_of_begin;

static void note(chpl_task_cb_event_kind_t event, chpl_fn_int_t fid, int32_t filename, int lineno, uint64_t id, int is_on) {
  CHECK(fid == 0 && filename == 1 && lineno == 17 && id != chpl_nullTaskID && !is_on);
  if (event == chpl_task_cb_event_kind_begin) {
    id_of_begin = id;
    CHECK(chpl_task_getId() == id);
  } else if (event == chpl_task_cb_event_kind_end) {
    CHECK(id == id_of_begin);
  }
  ++events[event];
}

static void callbacks(void) {
  end_count count = {0, NULL};
  int run = 0;
  stand_in_function(0, count_run);
  stand_in_callback = note;
  add_child(&count, 0, &run, 0);
  wait_for_children(&count);
  stand_in_callback = NULL;
  CHECK(run == 1 && events[0] == 1 && events[1] == 1 && events[2] == 1);
}

/* 2: coforall and cobegin: every child runs once, and the list is empty afterwards. */
enum { CHILDREN = 100 };
static int runs[CHILDREN];

static void coforall(int is_begin) {
  memset(runs, 0, sizeof runs);
  end_count count = {0, NULL};
  stand_in_function(0, count_run);
  for (int index = 0; index < CHILDREN; ++index) {
    add_child(&count, 0, &runs[index], is_begin);
  }
  CHECK((count.list == NULL) == (is_begin != 0));
  wait_for_children(&count);
  CHECK(count.list == NULL && count.left == 0);
  for (int index = 0; index < CHILDREN; ++index) {
    CHECK(runs[index] == 1);
  }
  chpl_task_executeTasksInList(&count.list); /* an empty list, as a serial statement has it */
}

/* 3: a tree of cobegins, deep in calls, joined depth first. */
typedef struct tree {
  int height;
  int64_t nodes;
} tree;

static void grow(tree *it) {
  it->nodes = 1;
  if (it->height == 1) {
    return;
  }
  tree halves[2] = {{it->height - 1, 0}, {it->height - 1, 0}};
  end_count count = {0, NULL};
  add_child(&count, 1, &halves[0], 0);
  add_child(&count, 1, &halves[1], 0);
  wait_for_children(&count);
  it->nodes += halves[0].nodes + halves[1].nodes;
}

static void grow_child(void *bundle) {
  grow(argument_of_child(bundle));
  child_ends(statement_of_child(bundle));
}

static void trees(void) {
  stand_in_function(1, grow_child);
  tree all = {IS_SLOW ? 8 : 13, 0};
  grow(&all);
  CHECK(all.nodes == ((int64_t)1 << all.height) - 1);
}

/* 4: bundles of all sizes are copied, and their heads say what was asked for. */
typedef struct sized {
  chpl_task_bundle_t head;
  size_t bytes;
  end_count *count;
  unsigned char payload[];
} sized;

static void check_sized(void *bundle) {
  const sized *it = bundle;
  for (size_t index = 0; index < it->bytes; ++index) {
    CHECK(it->payload[index] == (unsigned char)(index * 7 + it->bytes));
  }
  CHECK(it->head.kind == CHPL_ARG_BUNDLE_KIND_TASK && it->head.requested_fid == 2 && it->head.lineno == 23 &&
        it->head.filename == 4 && !it->head.is_executeOn && it->head.infoChapel.data[31] == 99);
  CHECK(chpl_task_getInfoChapel() == &((chpl_task_bundle_t *)bundle)->infoChapel);
  CHECK((uintptr_t)bundle % 16 == 0);
  child_ends(it->count);
}

static void bundles(void) {
  static const size_t sizes[] = {0, 1, 64, 800, 1000, 1024, 1025, 4096, 100000};
  stand_in_function(2, check_sized);
  for (size_t which = 0; which < sizeof sizes / sizeof *sizes; ++which) {
    const size_t size = sizeof(sized) + sizes[which];
    sized *it = calloc(1, size);
    CHECK(it != NULL);
    end_count count = {2, NULL};
    it->head.infoChapel.data[31] = 99;
    it->bytes = sizes[which];
    it->count = &count;
    for (size_t index = 0; index < sizes[which]; ++index) {
      it->payload[index] = (unsigned char)(index * 7 + sizes[which]);
    }
    chpl_task_addToTaskList(2, &it->head, size, c_sublocid_any_val, &count.list, chpl_nodeID, 0, 23, 4);
    chpl_task_addToTaskList(2, &it->head, size, c_sublocid_any_val, &count.list, chpl_nodeID + 1, 0, 23, 4);
    memset(it, 0x55, size);
    wait_for_children(&count);
    free(it);
  }
}

/* 5: on-statements: a task's bundle alone, and within one of the communication layer. */
typedef struct moved {
  chpl_comm_on_bundle_t on;
  int32_t *value;
} moved;

typedef struct called {
  chpl_task_bundle_t head;
  int32_t *value;
} called;

static void take_moved(void *argument) {
  moved *it = argument;
  CHECK(it->on.kind == CHPL_ARG_BUNDLE_KIND_COMM && it->on.caller == 7 && it->on.task_bundle.is_executeOn);
  CHECK(chpl_task_getInfoChapel() == &it->on.task_bundle.infoChapel && it->on.task_bundle.infoChapel.data[0] == 42);
  CHECK(chpl_task_getRequestedSubloc() == 3);
  __atomic_fetch_add(it->value, 1, __ATOMIC_RELEASE);
}

static void take_called(void *argument) {
  called *it = argument;
  CHECK(it->head.is_executeOn && it->head.lineno == 5);
  __atomic_fetch_add(it->value, 10, __ATOMIC_RELEASE);
}

static void on_statements(void) {
  int32_t value = 0;
  moved one;
  memset(&one, 0, sizeof one);
  one.on.kind = CHPL_ARG_BUNDLE_KIND_COMM;
  one.on.caller = 7;
  one.on.task_bundle.infoChapel.data[0] = 42;
  one.value = &value;
  stand_in_function(3, take_moved);
  stand_in_function(4, take_called);
  chpl_task_startMovedTask(FID_NONE, take_moved, &one, sizeof one, 3, chpl_nullTaskID);
  chpl_task_startMovedTask(3, NULL, &one, sizeof one, 3, chpl_nullTaskID);
  called two;
  memset(&two, 0, sizeof two);
  two.value = &value;
  chpl_task_taskCallFTable(4, &two, sizeof two, c_sublocid_any_val, 5, 1);
  while (__atomic_load_n(&value, __ATOMIC_ACQUIRE) != 12) {
    chpl_task_yield();
  }
}

/* 6: what a tree of version 1.25 or later calls for a task of any kind. */
void chpl_task_addTask(chpl_fn_int_t fid, chpl_task_bundle_t *bundle, size_t size, c_sublocid_t subloc, int lineno,
                       int32_t filename);

static void add_task(void) {
  end_count count = {1, NULL};
  struct {
    chpl_task_bundle_t head;
    end_count *count;
    void *argument;
  } bundle;
  memset(&bundle, 0, sizeof bundle);
  bundle.count = &count;
  bundle.argument = &runs[1];
  const int before = runs[1];
  chpl_task_addTask(0, &bundle.head, sizeof bundle, c_sublocid_any_val, 17, 1);
  wait_for_children(&count);
  CHECK(runs[1] == before + 1);
}

static void chapel_main(void) {
  callbacks();
  coforall(0);
  coforall(1);
  trees();
  bundles();
  on_statements();
  add_task();
}

int main(void) {
  for (int stay = 0; stay < 2; ++stay) {
    stand_in_tasks_stay = stay != 0;
    memset(events, 0, sizeof events);
    chpl_task_init();
    chpl_task_callMain(chapel_main);
    chpl_task_exit();
  }
  return 0;
}
