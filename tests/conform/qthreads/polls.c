/* Tasks that are joined by a count of the program's own: each is forked with a copy of its argument
 * and without a return word, and its parent reads the count with a yield between. */
#include "tasks.h"

enum { SMALL = 0, MIDDLE = 100, LARGE = 2000 };

/* The count that children take down, and how large their arguments are. */
struct group {
  atomic_int left;
  size_t padding;
};

struct argument {
  struct group *group;
  void *of;
  char padding[LARGE];
};

static size_t size_of(const struct group *group) { return offsetof(struct argument, padding) + group->padding; }

static void add(struct group *group, qthread_f function, void *of) {
  struct argument argument = {.group = group, .of = of};
  atomic_fetch_add(&group->left, 1);
  OK(qthread_fork_copyargs(function, &argument, size_of(group), NULL));
}

static aligned_t leave(const struct argument *argument) {
  atomic_fetch_sub(&argument->group->left, 1);
  return 0;
}

static void join(struct group *group) {
  while (atomic_load(&group->left) != 0) qthread_yield();
}

/* 1: trees, of which few tasks have begun and not ended. */
struct tree {
  int height;
  size_t padding;
  long nodes;
};
static atomic_int begun, most_begun;

static void grow(struct tree *it);
static aligned_t grow_child(void *memory) {
  const struct argument *argument = memory;
  const int now = atomic_fetch_add(&begun, 1) + 1;
  if (now > atomic_load(&most_begun)) atomic_store(&most_begun, now);
  grow(argument->of);
  atomic_fetch_sub(&begun, 1);
  return leave(argument);
}

static void grow(struct tree *it) {
  it->nodes = 1;
  if (it->height == 1) return;
  struct tree halves[2] = {{it->height - 1, it->padding, 0}, {it->height - 1, it->padding, 0}};
  struct group group = {0, it->padding};
  add(&group, grow_child, &halves[0]);
  add(&group, grow_child, &halves[1]);
  join(&group);
  it->nodes += halves[0].nodes + halves[1].nodes;
}

static int walks_newest_first(void) {
  const char *scheduler = getenv("QT_SCHEDULER");
  return IS_WEFT && scheduler == NULL && qthread_num_workers() == 1 && getenv("WEFT_SCHEDULE") == NULL;
}

static void trees(void) {
  static const size_t paddings[] = {SMALL, MIDDLE, LARGE};
  for (int each = 0; each < 3; ++each) {
    struct tree all = {IS_SLOW ? 6 : 10, paddings[each], 0};
    atomic_store(&most_begun, 0);
    grow(&all);
    CHECK(all.nodes == (1L << all.height) - 1);
    if (walks_newest_first() && !IS_SLOW) CHECK(atomic_load(&most_begun) <= all.nodes / 4);
  }
}

/* 2: groups beside a task that does not end. */
static int runs[40];
static aligned_t gate;

static aligned_t run_once(void *memory) {
  const struct argument *argument = memory;
  ++*(int *)argument->of;
  return leave(argument);
}
static aligned_t wait_at_gate(void *memory) {
  OK(qthread_readFF(NULL, &gate));
  return leave(memory);
}

static void groups(void) {
  struct group waiting = {0, MIDDLE};
  memset(runs, 0, sizeof runs);
  OK(qthread_empty(&gate));
  add(&waiting, wait_at_gate, NULL);
  for (int round = 1; round <= 10; ++round) {
    struct group group = {0, round % 2 != 0 ? MIDDLE : SMALL};
    for (int i = 0; i < (round % 2 != 0 ? 40 : 1); ++i) add(&group, run_once, &runs[i]);
    join(&group);
    CHECK(runs[0] == round && runs[39] == (round + 1) / 2);
    if (round % 5 == 0) add(&waiting, wait_at_gate, NULL);
  }
  CHECK(atomic_load(&waiting.left) == 3);
  OK(qthread_fill(&gate));
  join(&waiting);
}

/* 3: the parent waits for what a child does before it ends, and the child for its parent's answer. */
static atomic_int asked;
static aligned_t answer;

static aligned_t ask(void *memory) {
  atomic_store(&asked, 1);
  OK(qthread_readFE(NULL, &answer));
  return leave(memory);
}

static void questions(void) {
  for (int round = 0; round < 10; ++round) {
    struct group group = {0, MIDDLE};
    atomic_store(&asked, 0);
    OK(qthread_empty(&answer));
    add(&group, ask, NULL);
    await_number(&asked, 1);
    OK(qthread_fill(&answer));
    join(&group);
    OK(qthread_fill(&answer));
  }
}

/* 4: three generations take turns by a word. */
enum { TURNS = 100 };
static atomic_int turn;

static void take_turns(int mine) {
  for (int round = 0; round < TURNS; ++round) {
    while (atomic_load(&turn) % 3 != mine) qthread_yield();
    atomic_fetch_add(&turn, 1);
  }
}
static aligned_t take_turns_below(void *memory) {
  const struct argument *argument = memory;
  const int level = (int)(intptr_t)argument->of;
  struct group group = {0, SMALL};
  if (level == 1) add(&group, take_turns_below, (void *)(intptr_t)2);
  take_turns(level);
  join(&group);
  return leave(argument);
}

static void turns(void) {
  struct group group = {0, MIDDLE};
  atomic_store(&turn, 0);
  add(&group, take_turns_below, (void *)(intptr_t)1);
  take_turns(0);
  join(&group);
  CHECK(atomic_load(&turn) == 3 * TURNS);
}

/* 5: parents that end before their children, and after them, and not by a yield. */
static struct group everything;

static aligned_t be_fruitful(void *memory) {
  const struct argument *argument = memory;
  const intptr_t level = (intptr_t)argument->of;
  for (intptr_t i = 0; i < level; ++i) add(&everything, be_fruitful, (void *)(level - 1));
  if (level % 2 == 0) qthread_yield();
  return leave(argument);
}
static aligned_t fork_and_end(void *unused) {
  (void)unused;
  for (intptr_t level = 0; level < 5; ++level) add(&everything, be_fruitful, (void *)level);
  return 0;
}

static void orphans(void) {
  for (int round = 0; round < (IS_SLOW ? 2 : 6); ++round) {
    everything.padding = round % 2 == 0 ? SMALL : MIDDLE;
    aligned_t end = 0;
    OK(qthread_fork(fork_and_end, NULL, &end)); /* which may run in the reader's place */
    OK(qthread_readFF(NULL, &end));
    CHECK(fork_and_end(NULL) == 0);
    join(&everything);
  }
}

/* 6: a yield of a parent whose other children end one after the other lets others run, too. */
static atomic_int is_set, run_quickly, has_passed;
static aligned_t set_it(void *unused) {
  (void)unused;
  atomic_store(&is_set, 1);
  return 0;
}
static aligned_t be_quick(void *unused) {
  (void)unused;
  atomic_fetch_add(&run_quickly, 1);
  return 0;
}
static aligned_t wait_for_gate(void *unused) {
  (void)unused;
  OK(qthread_readFF(NULL, &gate));
  atomic_store(&has_passed, 1);
  return 0;
}

static qthread_shepherd_id_t other_shepherd(void) {
  return (qthread_shepherd_id_t)((qthread_shep() + 1) % qthread_num_shepherds());
}

static void yields_beside_ends(void) {
  const qthread_shepherd_id_t here = qthread_shep();
  if (qthread_num_shepherds() < 2 || here == NO_SHEPHERD || getenv("WEFT_SCHEDULE") != NULL) return;
  const int argument = 0;
  OK(qthread_empty(&gate));
  atomic_store(&is_set, 0);
  atomic_store(&has_passed, 0);
  OK(qthread_fork_copyargs_to(wait_for_gate, &argument, sizeof argument, NULL, other_shepherd()));
  OK(qthread_fork_to(set_it, NULL, NULL, here));
  while (atomic_load(&is_set) == 0) {
    const int before = atomic_load(&run_quickly);
    OK(qthread_fork_copyargs_to(be_quick, &argument, sizeof argument, NULL, other_shepherd())); /* a yield may move the caller */
    while (atomic_load(&run_quickly) == before) sched_yield();
    qthread_yield();
  }
  OK(qthread_fill(&gate));
  while (atomic_load(&has_passed) == 0) qthread_yield();
}

static void fork_outside(void *unused) {
  (void)unused;
  struct group group = {0, MIDDLE};
  int run = 0;
  add(&group, run_once, &run);
  join(&group);
  CHECK(run == 1);
}

static aligned_t all(void *unused) {
  (void)unused;
  trees();
  groups();
  questions();
  turns();
  orphans();
  yields_beside_ends();
  return 0;
}

int main(void) {
  OK(qthread_initialize());
  CHECK(all(NULL) == 0);
  run_tasks(1, all, NULL);
  run_outside(fork_outside, NULL);
  qthread_finalize();
  return 0;
}
