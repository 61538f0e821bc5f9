/* The generic threads interface: run it with WEFT_THREADS=weft, fifo or pool. Tasks count
 * primes, each its part, and hand the numbers to a thread through a full/empty variable. */
#include <stdio.h>
#include <stdlib.h>

#include <weft_threads/threads.h>

enum { end = 1 << 16, leaf = 1 << 11, leaves = end / leaf };

static void must(threads_status status) {
  if (status == THREADS_OK) return;
  fprintf(stderr, "%s: %s\n", threads_status_name(status), threads_status_text(status));
  exit(1);
}

static threads_sync partial = THREADS_SYNC_INIT; /* empty */

static int is_prime(int number) {
  for (int divisor = 2; divisor * divisor <= number; ++divisor) {
    if (number % divisor == 0) return 0;
  }
  return number > 1;
}

struct range {
  int from, to;
};

static void count_primes(void *given) {
  const struct range *range = given;
  if (range->to - range->from > leaf) { /* two halves at once, as Chapel's cobegin */
    const int middle = range->from + (range->to - range->from) / 2;
    struct range halves[2] = {{range->from, middle}, {middle, range->to}};
    threads_list children = THREADS_LIST_ANONYMOUS_INIT;
    must(threads_list_add(&children, count_primes, &halves[0]));
    must(threads_list_add(&children, count_primes, &halves[1]));
    must(threads_list_wait(&children));
    return;
  }
  uint64_t count = 0;
  for (int number = range->from; number < range->to; ++number) count += (uint64_t)is_prime(number);
  must(threads_sync_write_ef(&partial, count)); /* waits until the last number was taken */
}

static void add_up(void *given) {
  uint64_t *total = given;
  for (int i = 0; i < leaves; ++i) {
    uint64_t count;
    must(threads_sync_read_fe(&partial, &count));
    *total += count;
  }
}

int main(void) {
  uint64_t total = 0;
  struct range all = {0, end};
  threads_thread *adder;
  if (threads_start(NULL) != THREADS_OK) return 1; /* it said why */
  must(threads_create(add_up, &total, &adder));
  count_primes(&all);
  must(threads_join(adder));
  printf("%llu primes below %d\n", (unsigned long long)total, end);
  must(threads_stop());
  return 0;
}
