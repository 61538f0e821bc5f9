/* An outside program whose forks migrate between ranks. */
#include <stdio.h>

#include <weft/dist.h>
#include <weft/uni_threads.h>

static int fib(int n) {
  if (n < 2) return n;
  thread_t left = thread_create(fib, n - 1);
  int right = fib(n - 2);
  return thread_join(left) + right;
}

static void run(void *work) { *(int *)work = fib(*(int *)work); }

int main(void) {
  int n = 12;
  if (weft_dist_root(run, &n, sizeof n) != WEFT_OK) return 1;
  if (weft_dist_rank() == 0) printf("%d rank%s: %d\n", weft_dist_ranks(), weft_dist_ranks() == 1 ? "" : "s", n);
  return 0;
}
