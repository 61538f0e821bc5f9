/* What a fork and its join take, in cycles: `uni-cycles empty|fib`. The text of the forks is
 * that of hot.h; on_ranks.c and on_threads.c say where they run. The best of three rounds after
 * a warm-up. */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <weft/hot.h>

#include "micro/cycles.h"
#include "root.h"

enum { rounds = 4, pairs = 1000000, fib_of = 30, fib_answer = 832040, fib_forks = 1346268 };

struct measured {
  uint64_t is_fib;
  uint64_t is_right;
  double ticks; /* of one fork and its join */
};

static void nothing(void *work) { __asm__ volatile("" : : "r"(work) : "memory"); }

static void fork_nothing(void) {
  for (long i = 0; i < pairs; ++i) {
    long word = i;
    weft_fork_join(weft_fork(nothing, &word, sizeof word), nothing, &word, sizeof word);
  }
}

static long fib(long n);
static void fib_run(void *work) { *(long *)work = fib(*(long *)work); }
static long fib(long n) {
  if (n < 2) return n;
  long left = n - 1;
  weft_forked *forked = weft_fork(fib_run, &left, sizeof left);
  const long right = fib(n - 2);
  weft_fork_join(forked, fib_run, &left, sizeof left);
  return left + right;
}

static double ticks_of_round(bool is_fib, bool *is_right) {
  const uint64_t start = cycles_ticks();
  if (is_fib) {
    *is_right = fib(fib_of) == fib_answer && *is_right;
  } else {
    fork_nothing();
  }
  return (double)(cycles_ticks() - start) / (is_fib ? fib_forks : pairs);
}

static void measure(void *work) {
  struct measured *const one = work;
  bool is_right = true;
  for (int round = 0; round < rounds; ++round) {
    const double ticks = ticks_of_round(one->is_fib != 0, &is_right);
    if (round == 1 || (round > 1 && ticks < one->ticks)) one->ticks = ticks;
  }
  one->is_right = is_right;
}

int main(int argc, char **argv) {
  if (argc != 2 || (strcmp(argv[1], "empty") != 0 && strcmp(argv[1], "fib") != 0)) {
    fprintf(stderr, "usage: %s empty|fib\n", argv[0]);
    return 2;
  }
  struct measured one = {strcmp(argv[1], "fib") == 0, 0, 0};
  if (!run_root(1, measure, &one, sizeof one)) return 0;
  cycles_print_figures(one.is_right != 0, one.ticks, cycles_find_rates());
  return 0;
}
