/* Joins by polling, as Chapel 1.25 and later write all of them: no list, a count, and a loop of
 * yields. Also the begins of earlier versions. */
#include "runtime.h"

#include <pthread.h>
#include <unistd.h>

/* A task of any kind, without a list. */
static void add_task(end_count *count, chpl_fn_int_t fid, void *argument) { add_child(count, fid, argument, 1); }

static void check_all_ended(const end_count *count) { CHECK(count->left == 0 && count->list == NULL); }

extern uint64_t chpl_weft_least_pause_ns; /* the layer's: weft-layer.h */
extern uint64_t chpl_weft_most_pause_ns;

/* 1: a tree is walked depth first: few tasks have started and not ended at any time. */
typedef struct tree {
  int height;
  int64_t nodes;
} tree;

static int started_now;
static int most_started;

static void grow(tree *it) {
  it->nodes = 1;
  if (it->height == 1) {
    return;
  }
  tree halves[2] = {{it->height - 1, 0}, {it->height - 1, 0}};
  end_count count = {0, NULL};
  add_task(&count, 0, &halves[0]);
  add_task(&count, 0, &halves[1]);
  wait_for_children(&count);
  check_all_ended(&count);
  it->nodes += halves[0].nodes + halves[1].nodes;
}

static void grow_child(void *bundle) {
  const int now = __atomic_add_fetch(&started_now, 1, __ATOMIC_RELAXED);
  if (now > __atomic_load_n(&most_started, __ATOMIC_RELAXED)) {
    __atomic_store_n(&most_started, now, __ATOMIC_RELAXED); /* about: exact with one worker */
  }
  grow(argument_of_child(bundle));
  __atomic_sub_fetch(&started_now, 1, __ATOMIC_RELAXED);
  child_ends(statement_of_child(bundle));
}

static void trees(void) {
  stand_in_function(0, grow_child);
  tree all = {IS_SLOW ? 7 : 12, 0};
  most_started = 0;
  grow(&all);
  CHECK(all.nodes == ((int64_t)1 << all.height) - 1);
  if (chpl_task_getMaxPar() == 1 && getenv("WEFT_SCHEDULE") == NULL && !IS_SLOW) {
    CHECK(most_started <= all.nodes / 4); /* a fortieth or so; half of them with yields that only let others run */
  }
}

/* 2: a statement of many tasks, in turn with statements of one, beside a task that does not end. */
enum { CHILDREN = IS_SLOW ? 15 : 60 };
static int runs[CHILDREN];
static chpl_sync_aux_t gate;

static void count_run(void *bundle) {
  ++*(int *)argument_of_child(bundle);
  child_ends(statement_of_child(bundle));
}

static void wait_at_gate(void *bundle) {
  chpl_sync_waitFullAndLock(&gate, 1, 1);
  chpl_sync_markAndSignalFull(&gate);
  child_ends(statement_of_child(bundle));
}

static void statements(void) {
  stand_in_function(1, count_run);
  stand_in_function(2, wait_at_gate);
  chpl_sync_initAux(&gate);
  memset(runs, 0, sizeof runs);
  end_count waiting = {0, NULL};
  add_task(&waiting, 2, NULL);
  for (int round = 1; round <= 20; ++round) {
    const int width = round % 2 != 0 ? CHILDREN : 1;
    end_count count = {0, NULL};
    for (int index = 0; index < width; ++index) {
      add_task(&count, 1, &runs[index]);
    }
    wait_for_children(&count);
    check_all_ended(&count);
    CHECK(runs[0] == round && runs[CHILDREN - 1] == (round + 1) / 2);
    if (round % 5 == 0) {
      add_task(&waiting, 2, NULL); /* more that do not end */
    }
  }
  CHECK(__atomic_load_n(&waiting.left, __ATOMIC_RELAXED) == 5);
  chpl_sync_lock(&gate);
  chpl_sync_markAndSignalFull(&gate);
  wait_for_children(&waiting);
  check_all_ended(&waiting);
}

/* 3: the parent waits for what a child does before it ends: the child needs its parent's answer. */
static int asked;
static chpl_sync_aux_t answer;

static void ask(void *bundle) {
  __atomic_store_n(&asked, 1, __ATOMIC_RELEASE);
  chpl_sync_waitFullAndLock(&answer, 1, 1);
  chpl_sync_markAndSignalEmpty(&answer);
  child_ends(statement_of_child(bundle));
}

static void questions(void) {
  stand_in_function(3, ask);
  chpl_sync_initAux(&answer);
  for (int round = 0; round < 20; ++round) {
    asked = 0;
    end_count count = {0, NULL};
    add_task(&count, 3, NULL);
    while (!__atomic_load_n(&asked, __ATOMIC_ACQUIRE)) {
      chpl_task_yield();
    }
    chpl_sync_waitEmptyAndLock(&answer, 1, 1);
    chpl_sync_markAndSignalFull(&answer);
    wait_for_children(&count);
    check_all_ended(&count);
  }
}

/* 4: a parent and a child take turns by a word, both with yields; and three levels do. */
static int turn;
enum { TURNS = 300 };

static void take_turns(int mine, int of) {
  for (int round = 0; round < TURNS; ++round) {
    while (__atomic_load_n(&turn, __ATOMIC_ACQUIRE) % of != mine) {
      chpl_task_yield();
    }
    __atomic_fetch_add(&turn, 1, __ATOMIC_RELEASE);
  }
}

static void take_turns_below(void *bundle) {
  const int level = (int)(intptr_t)argument_of_child(bundle);
  end_count count = {0, NULL};
  if (level < 2) {
    add_task(&count, 4, (void *)(intptr_t)(level + 1));
  }
  take_turns(level, 3);
  wait_for_children(&count);
  child_ends(statement_of_child(bundle));
}

static void turns(void) {
  stand_in_function(4, take_turns_below);
  turn = 0;
  end_count count = {0, NULL};
  add_task(&count, 4, (void *)(intptr_t)1);
  take_turns(0, 3);
  wait_for_children(&count);
  CHECK(turn == 3 * TURNS);
}

/* 5: parents that end before their children, at the same time, and after them. */
static end_count everything;

static void be_fruitful(void *bundle) {
  const intptr_t level = (intptr_t)argument_of_child(bundle);
  for (intptr_t each = 0; each < level; ++each) {
    add_task(&everything, 5, (void *)(level - 1));
  }
  if (level % 2 == 0) {
    chpl_task_yield();
  }
  child_ends(statement_of_child(bundle));
}

static void orphans(void) {
  stand_in_function(5, be_fruitful);
  for (int round = 0; round < (IS_SLOW ? 2 : 10); ++round) {
    for (intptr_t level = 0; level < 5; ++level) {
      add_task(&everything, 5, (void *)level);
    }
    wait_for_children(&everything);
    check_all_ended(&everything);
  }
}

/* 6: a yield by a task whose children have all ended is one: others run. */
static void set_flag(void *bundle) {
  __atomic_store_n((int *)argument_of_child(bundle), 1, __ATOMIC_RELEASE);
  child_ends(statement_of_child(bundle));
}

static void *add_one_outside(void *flag) {
  end_count count = {0, NULL};
  add_task(&count, 6, flag); /* the child of an OS thread is not counted */
  wait_for_children(&count);
  return NULL;
}

static void flags(void) {
  stand_in_function(6, set_flag);
  int flag = 0;
  end_count count = {0, NULL};
  add_task(&count, 6, &flag);
  wait_for_children(&count);
  CHECK(flag == 1);
  flag = 0;
  pthread_t outside;
  CHECK(pthread_create(&outside, NULL, add_one_outside, &flag) == 0);
  while (!__atomic_load_n(&flag, __ATOMIC_ACQUIRE)) {
    chpl_task_yield();
  }
  CHECK(pthread_join(outside, NULL) == 0);
}

/* 7: a child that ends while its parent waits for a variable; another one needs the worker. */
static int polls;

static void fill_gate(void *bundle) {
  chpl_sync_waitEmptyAndLock(&gate, 1, 1);
  chpl_sync_markAndSignalFull(&gate);
  child_ends(statement_of_child(bundle));
}

static void wait_for_polls(void *bundle) {
  while (!__atomic_load_n(&polls, __ATOMIC_ACQUIRE)) {
    chpl_task_yield();
  }
  child_ends(statement_of_child(bundle));
}

static void ends_meanwhile(void) {
  stand_in_function(1, wait_for_polls);
  stand_in_function(2, fill_gate);
  chpl_sync_initAux(&gate);
  __atomic_store_n(&polls, 0, __ATOMIC_RELAXED);
  end_count count = {0, NULL};
  add_task(&count, 1, NULL);
  add_task(&count, 2, NULL);
  chpl_sync_waitFullAndLock(&gate, 1, 1);
  chpl_sync_markAndSignalEmpty(&gate);
  while (__atomic_load_n(&count.left, __ATOMIC_ACQUIRE) != 1) {
    chpl_task_sleep(1e-5);
  }
  __atomic_store_n(&polls, 1, __ATOMIC_RELEASE);
  wait_for_children(&count);
  check_all_ended(&count);
}

static void chapel_main(void) {
  trees();
  statements();
  questions();
  turns();
  orphans();
  flags();
  ends_meanwhile();
}

/* With one worker every wake-up is certain, so that no pause has to pass: an hour would be noticed. */
static uint64_t usual_pauses[2];

static void set_pauses(bool is_certain) {
  const uint64_t hour = (uint64_t)3600 * 1000000000u;
  chpl_weft_least_pause_ns = is_certain ? hour : usual_pauses[0];
  chpl_weft_most_pause_ns = is_certain ? hour : usual_pauses[1];
}

int main(void) {
  usual_pauses[0] = chpl_weft_least_pause_ns;
  usual_pauses[1] = chpl_weft_most_pause_ns;
  (void)alarm(300);
  for (int threads = 1; threads <= 2; ++threads) {
    for (int stay = IS_SLOW ? threads - 1 : 0; stay < (IS_SLOW ? threads : 2); ++stay) {
      stand_in_threads = threads;
      set_pauses(threads == 1 && getenv("WEFT_SCHEDULE") == NULL);
      stand_in_tasks_stay = stay != 0;
      chpl_task_init();
      chpl_task_callMain(chapel_main);
      chpl_task_exit();
    }
  }
  return 0;
}
