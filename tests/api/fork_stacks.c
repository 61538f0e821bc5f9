/* A program of forks that runs on one worker runs on several: a fork that becomes a thread, because
 * another worker took it or its forker waited, has a stack as large as the main thread's. */
#include <stdbool.h>
#include <sys/resource.h>

#include <weft/hot.h>

#include "check.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define HAS_LARGE_FRAMES 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define HAS_LARGE_FRAMES 1
#endif
#endif
#ifndef HAS_LARGE_FRAMES
#define HAS_LARGE_FRAMES 0
#endif

/* ---- a fork that another worker certainly takes ---- */

struct taken {
  void (*run)(void *argument);
  void *argument;
  atomic_int has_begun;
};

static void begin(void *work) {
  struct taken *one = *(struct taken **)work;
  atomic_store(&one->has_begun, 1);
  one->run(one->argument);
}

/* With several workers: in a fork that was taken; alone: in one that its forker left behind. */
static void run_apart(void (*run)(void *argument), void *argument) {
  struct taken one = {run, argument, 0};
  struct taken *work = &one;
  weft_forked *forked = weft_fork(begin, &work, sizeof work);
  if (weft_worker_count() == 1) weft_yield();
  while (weft_worker_count() != 1 && atomic_load(&one.has_begun) == 0) sched_yield();
  weft_fork_join(forked, begin, &work, sizeof work);
}

/* ---- a tree as UTS T3: few children each, and thousands of levels ---- */

enum { MOST_CHILDREN = 8, DEPTH = HAS_LARGE_FRAMES ? 800 : 1600 };

struct visit {
  uint64_t seed;
  unsigned depth;
  unsigned nodes;
};

static uint64_t mix(uint64_t word) {
  word ^= word >> 31;
  word *= UINT64_C(0x9e3779b97f4a7c15);
  return word ^ word >> 29;
}

static void visit(void *work) {
  struct visit *self = work;
  self->nodes = 1;
  if (self->depth == 0) return;
  const unsigned count = 1 + (unsigned)(mix(self->seed) % MOST_CHILDREN);
  weft_forked *forked[MOST_CHILDREN];
  struct visit child[MOST_CHILDREN];
  for (unsigned i = 0; i < count; ++i) {
    child[i] = (struct visit){mix(self->seed + i), i == 0 ? self->depth - 1 : 0, 0};
    forked[i] = weft_fork(visit, &child[i], sizeof child[i]);
  }
  for (unsigned i = count; i-- > 0;) {
    weft_fork_join(forked[i], visit, &child[i], sizeof child[i]);
    self->nodes += child[i].nodes;
  }
}

static unsigned nodes_of(uint64_t seed, unsigned depth) {
  unsigned nodes = 1;
  for (; depth != 0; --depth, seed = mix(seed)) nodes += 1 + (unsigned)(mix(seed) % MOST_CHILDREN);
  return nodes;
}

static void walk_tree(void *argument) {
  struct visit root = {*(uint64_t *)argument, DEPTH, 0};
  visit(&root);
  CHECK(root.nodes == nodes_of(root.seed, DEPTH));
}

static void deep_trees(void) {
  for (uint64_t seed = 1; seed <= 3; ++seed) {
    walk_tree(&seed);
    run_apart(walk_tree, &seed);
  }
}

/* ---- a chain of forks, with a little work between fork and join ---- */

enum { LINKS = HAS_LARGE_FRAMES ? 1000 : 20000 };

static void work_for_a_microsecond(void) {
  const uint64_t end = weft_now_ns() + MICROSECOND;
  while (weft_now_ns() < end) {
  }
}

static void add_links(void *work) {
  long *links = work;
  if (*links == 0) return;
  long rest = *links - 1;
  weft_forked *forked = weft_fork(add_links, &rest, sizeof rest);
  work_for_a_microsecond();
  weft_fork_join(forked, add_links, &rest, sizeof rest);
  *links = rest + 1;
}

static void follow_chain(void *argument) {
  long links = *(const int *)argument;
  add_links(&links);
  CHECK(links == *(const int *)argument);
}

static void long_chains(void) {
  int links = LINKS;
  follow_chain(&links);
  run_apart(follow_chain, &links);
}

/* ---- a sort of what is sorted: as deep as the array is long ---- */

enum { LENGTH = 2000 };

struct part {
  int *first, *last;
};

static void sort_part(void *work) {
  const struct part all = *(struct part *)work;
  if (all.last - all.first < 2) return;
  const int pivot = all.last[-1];
  int *place = all.first;
  for (int *each = all.first; each != all.last - 1; ++each) {
    if (*each >= pivot) continue;
    const int kept = *place;
    *place++ = *each;
    *each = kept;
  }
  all.last[-1] = *place;
  *place = pivot;
  struct part below = {all.first, place}, above = {place + 1, all.last};
  weft_forked *forked = weft_fork(sort_part, &below, sizeof below);
  sort_part(&above);
  weft_fork_join(forked, sort_part, &below, sizeof below);
}

static void sort_sorted(void *argument) {
  int *numbers = argument;
  struct part all = {numbers, numbers + LENGTH};
  sort_part(&all);
}

static void sorts(void) {
  static int numbers[LENGTH];
  for (int i = 0; i < LENGTH; ++i) numbers[i] = i;
  sort_sorted(numbers);
  run_apart(sort_sorted, numbers);
  for (int i = 0; i < LENGTH; ++i) CHECK(numbers[i] == i);
}

/* ---- forks of a thread with a large stack of its own ---- */

static __attribute__((noinline)) long use_stack(long bytes) {
  volatile char frame[1024];
  frame[0] = 1;
  return bytes <= 0 ? frame[0] : use_stack(bytes - (long)sizeof frame) + frame[0];
}

static void go_deep(void *argument) { CHECK(use_stack(*(long *)argument) > 0); }

static void fork_deeply(void *argument) {
  run_apart(go_deep, argument);
  weft_yield();
  run_apart(go_deep, argument);
}

static void forks_of_large_threads(void) {
  enum { MIB = 1 << 20 };
  long used = 10 * MIB;
  weft_thread_attr attr = WEFT_THREAD_ATTR_INIT;
  attr.stack_bytes = 32 * MIB;
  for (int i = 0; i < 3; ++i) OK(weft_thread_join(start_with(&attr, fork_deeply, &used)));
}

/* A thread with a stack of the default size may fork what needs more. */
static void forks_of_small_threads(void) {
  long used = 1 << 20;
  OK(weft_thread_join(start(fork_deeply, &used)));
}

/* With a limit that is far above the usual one, or none. */
static void forks_beyond_usual_limit(void) {
  long used = 16 << 20;
  run_apart(go_deep, &used);
}

static bool raise_limit(void) {
  struct rlimit limit;
  CHECK(getrlimit(RLIMIT_STACK, &limit) == 0);
  limit.rlim_cur = limit.rlim_max;
  if (setrlimit(RLIMIT_STACK, &limit) != 0) return false;
  CHECK(getrlimit(RLIMIT_STACK, &limit) == 0); /* qemu-user takes a limit of stacks, and leaves it as it is */
  return limit.rlim_cur >= (32 << 20);
}

static void all(void) {
  RUN(deep_trees);
  RUN(long_chains);
  RUN(sorts);
  RUN(forks_of_large_threads);
  RUN(forks_of_small_threads);
}

int main(void) {
  with_workers("1 worker", 1, all);
  with_workers("2 workers", 2, all);
  with_workers("4 workers", 4, all);
  if (raise_limit()) with_workers("2 workers, a higher limit", 2, forks_beyond_usual_limit);
  return 0;
}
