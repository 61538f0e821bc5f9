/* Work for several workers: the numbers of Fibonacci by forks. */
#ifndef WEFT_TEST_FORK_FIB_H
#define WEFT_TEST_FORK_FIB_H

#include <weft/hot.h>

static long fib(long n);
static void fib_run(void *work) {
  long *value = work;
  *value = fib(*value);
}
static long fib(long n) {
  if (n < 2) return n;
  long left = n - 1;
  weft_forked *forked = weft_fork(fib_run, &left, sizeof left);
  const long right = fib(n - 2);
  weft_fork_join(forked, fib_run, &left, sizeof left);
  return left + right;
}

#endif
