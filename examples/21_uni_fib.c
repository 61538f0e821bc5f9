/* fib as in the paper on uni-address threads. With `weft launch -n 4 21_uni_fib` the threads'
 * creators move between four processes.
 *
 *   21_uni_fib [n]     default 27 */
#include <stdio.h>
#include <stdlib.h>

#include <weft/dist.h>
#include <weft/uni_threads.h>

static int fib(int n) {
  if (n < 2) {
    return n;
  } else {
    thread_t t = thread_create(fib, n - 1);
    int y = fib(n - 2);
    int x = thread_join(t);
    return x + y;
  }
}

static void run(void *work) {
  int *n = work;
  *n = fib(*n);
}

int main(int argc, char **argv) {
  int n = argc > 1 ? atoi(argv[1]) : 27;
  const int asked = n;
  if (weft_dist_root(run, &n, sizeof n) != WEFT_OK) return 1;
  if (weft_dist_rank() == 0) printf("fib(%d) = %d\n", asked, n);
  return 0;
}
