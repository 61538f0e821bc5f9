/* Lace at its fastest: its own macros, a deque that never fills. */
#include <lace.h>

#include "micro.h"

void micro_start(unsigned workers) { lace_start(workers, 1 << 20); }
void micro_stop(void) { lace_stop(); }

TASK_1(long, fib, int, n) {
  if (n < 2) return n;
  SPAWN(fib, n - 1);
  const long right = CALL(fib, n - 2);
  return SYNC(fib) + right;
}

static double fork_nested(void) {
  const double start = micro_now();
  const long result = RUN(fib, MICRO_FORK_FIB);
  const double took = micro_now() - start;
  micro_check(result == MICRO_FORK_FIB_ANSWER, "fib");
  return took / MICRO_FORK_FIB_FORKS;
}

TASK_1(long, take_low_bits, long, value) { return value & 7; }

TASK_0(long, flat) {
  long sum = 0;
  for (long done = 0; done < MICRO_FORKS; done += MICRO_BATCH) {
    for (long i = 0; i < MICRO_BATCH; ++i) SPAWN(take_low_bits, i);
    for (long i = 0; i < MICRO_BATCH; ++i) sum += SYNC(take_low_bits);
  }
  return sum;
}

static double fork_flat(void) {
  const double start = micro_now();
  const long sum = RUN(flat);
  const double took = micro_now() - start;
  micro_check(sum == MICRO_FORKS / MICRO_BATCH * MICRO_FLAT_SUM, "flat");
  return took / (double)MICRO_FORKS;
}

const struct micro micro_table[] = {{"fork", fork_nested}, {"fork-flat", fork_flat}, {NULL, NULL}};

int main(int argc, char **argv) { return micro_main(argc, argv); }
