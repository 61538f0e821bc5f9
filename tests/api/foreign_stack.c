/* Calls of Weft from a stack of the program's own: of a coroutine by ucontext, small and guarded.
 * What they run for the caller stands elsewhere, and its own frames stay whole. */
#include <sys/mman.h>
#include <ucontext.h>

#include <stdint.h>
#include <string.h>
#include <weft/hot.h>

#include "check.h"

enum { STACK = 20 * 1024, CHILDS_FRAME = 24 * 1024, COROUTINES = 4, ROUNDS = 30 };

static void needs_more(void *argument) {
  volatile char frame[CHILDS_FRAME];
  memset((char *)frame, 7, sizeof frame);
  weft_yield();
  atomic_fetch_add((atomic_int *)argument, frame[5] == 7);
}

static void run_more(void *work) { needs_more(*(atomic_int **)work); }

static long fib(long n);
static void run_fib(void *work) { *(long *)work = fib(*(long *)work); }
static long fib(long n) {
  if (n < 2) return n;
  long left = n - 1;
  weft_forked *const forked = weft_fork(run_fib, &left, sizeof left);
  const long right = fib(n - 2);
  weft_fork_join(forked, run_fib, &left, sizeof left);
  return left + right;
}

struct coroutine {
  ucontext_t outside, inside;
  char *stack;
  void (*body)(atomic_int *count);
  atomic_int count;
};

static void joins(atomic_int *count) {
  for (int i = 0; i < ROUNDS; ++i) OK(weft_thread_join(start(needs_more, count)));
}

static void joins_many(atomic_int *count) {
  weft_thread *threads[ROUNDS];
  for (int i = 0; i < ROUNDS; ++i) threads[i] = start(needs_more, count);
  OK(weft_thread_join_many(threads, ROUNDS));
}

/* Forks that are threads by the time of their joins: the caller has yielded meanwhile. */
static void joins_left_forks(atomic_int *count) {
  for (int i = 0; i < ROUNDS; ++i) {
    weft_forked *const forked = weft_fork(run_more, &count, sizeof count);
    weft_yield();
    weft_fork_join(forked, run_more, &count, sizeof count);
  }
}

static void forks(atomic_int *count) {
  for (int i = 0; i < ROUNDS; ++i) atomic_fetch_add(count, fib(10) == 55);
}

static void enter(unsigned high, unsigned low) {
  struct coroutine *const self = (struct coroutine *)((uintptr_t)high << 32 | low); /* NOLINT(performance-no-int-to-ptr) */
  volatile char mine[2000];
  memset((char *)mine, 9, sizeof mine);
  self->body(&self->count);
  for (size_t i = 0; i < sizeof mine; ++i) CHECK(mine[i] == 9);
  swapcontext(&self->inside, &self->outside);
}

static void run_coroutine(void *argument) {
  struct coroutine *const self = argument;
  CHECK(getcontext(&self->inside) == 0);
  self->inside.uc_stack.ss_sp = self->stack;
  self->inside.uc_stack.ss_size = STACK;
  self->inside.uc_link = &self->outside;
  makecontext(&self->inside, (void (*)(void))enter, 2, (unsigned)((uintptr_t)self >> 32), (unsigned)(uintptr_t)self);
  CHECK(swapcontext(&self->outside, &self->inside) == 0);
}

/* Between two guards of 64 KiB. */
static char *make_stack(void) {
  char *const all = mmap(NULL, 3 * 65536, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  CHECK(all != MAP_FAILED);
  CHECK(mprotect(all + 65536, STACK, PROT_READ | PROT_WRITE) == 0);
  return all + 65536;
}

static void run_all(void (*body)(atomic_int *count)) {
  static struct coroutine all[COROUTINES];
  weft_thread *threads[COROUTINES];
  for (int i = 0; i < COROUTINES; ++i) {
    all[i].stack = make_stack();
    all[i].body = body;
    atomic_store(&all[i].count, 0);
    threads[i] = start(run_coroutine, &all[i]);
  }
  OK(weft_thread_join_many(threads, COROUTINES));
  for (int i = 0; i < COROUTINES; ++i) {
    CHECK(atomic_load(&all[i].count) == ROUNDS);
    CHECK(munmap(all[i].stack - 65536, 3 * 65536) == 0);
  }
}

static void each_join(void) { run_all(joins); }
static void join_of_many(void) { run_all(joins_many); }
static void left_forks(void) { run_all(joins_left_forks); }
static void plain_forks(void) { run_all(forks); }

/* The caller of weft_init, too. */
static void as_main(void) {
  struct coroutine one = {.stack = make_stack(), .body = joins};
  run_coroutine(&one);
  one.body = joins_left_forks;
  run_coroutine(&one);
  CHECK(atomic_load(&one.count) == 2 * ROUNDS);
}

static void all(void) {
  RUN(each_join);
  RUN(join_of_many);
  RUN(left_forks);
  RUN(plain_forks);
  RUN(as_main);
}

int main(void) {
  with_workers("one worker", 1, all);
  with_workers("two workers", 2, all);
  return 0;
}
