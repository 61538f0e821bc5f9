/* How soon an idle rank has work again: `weft launch -n 2 uni-found [MILLISECONDS]`. A rank
 * computes for so long (500) and forks nothing, while the others become idle and ask ever more
 * seldom. Then it forks, and time is taken until another rank goes on with the forker. Clocks
 * are one: ranks, or nodes of namespaces, of one machine. Prints the median, the most, and how
 * many of the samples another rank went on with at all. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <weft/dist.h>
#include <weft/hot.h>

enum { samples = 21, busy_us = 20000 };

struct work {
  long idle_ms;
  int count;
  float us[samples];
};

static uint64_t now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static void nothing(void *work) { (void)work; }

/* Forks now and then, so that its forker may be taken. */
static void stay(void *work) {
  (void)work;
  const uint64_t until = now_ns() + busy_us * 1000;
  while (now_ns() < until) {
    long none = 0;
    weft_fork_join(weft_fork(nothing, &none, sizeof none), nothing, &none, sizeof none);
  }
}

static void find(void *work) {
  struct work *const own = (struct work *)work;
  for (int i = 0; i < samples; ++i) {
    const uint64_t until = now_ns() + (uint64_t)own->idle_ms * 1000000u;
    while (now_ns() < until) continue;
    long none = 0;
    const int rank = weft_dist_rank();
    const uint64_t began = now_ns();
    weft_forked *const forked = weft_fork(stay, &none, sizeof none);
    const uint64_t goes_on = now_ns();
    if (weft_dist_rank() != rank) own->us[own->count++] = (float)(goes_on - began) / 1000;
    weft_fork_join(forked, stay, &none, sizeof none);
  }
}

static int by_time(const void *one, const void *other) {
  const float a = *(const float *)one, b = *(const float *)other;
  return a < b ? -1 : a > b;
}

int main(int argc, char **argv) {
  struct work own = {argc == 2 ? atol(argv[1]) : 500, 0, {0}};
  if (argc > 2 || own.idle_ms <= 0 || weft_dist_ranks() < 2) {
    fprintf(stderr, "usage: weft launch -n 2 uni-found [MILLISECONDS]\n");
    return 2;
  }
  if (weft_dist_root(find, &own, sizeof own) != WEFT_OK) return 1;
  if (weft_dist_rank() != 0) return 0;
  qsort(own.us, (size_t)own.count, sizeof *own.us, by_time);
  printf("work was found %d of %d times, after %.0f us (median), %.0f us (most)\n", own.count, samples,
         own.count != 0 ? (double)own.us[own.count / 2] : 0.0, own.count != 0 ? (double)own.us[own.count - 1] : 0.0);
  return 0;
}
