/* How long a steal takes while the victim computes: `weft launch -n 2 uni-steal`. A child that spins
 * is forked again and again; its forker's continuation is stolen meanwhile, joins, waits, and is
 * resumed by the child's end. Two times are taken: from the fork to the continuation on the other
 * rank, and from the child's end to the forker that goes on. Each sample stays on the rank that took
 * it, and the ranks print one after the other. Clocks of the ranks are one: the counter is the
 * machine's. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <weft/dist.h>
#include <weft/hot.h>

#include "micro/cycles.h"

enum { forks = 2000, spin_ns = 40000 };

static double starts_ns[forks], resumes_ns[forks]; /* this rank's samples */
static int starts, resumes;

struct child {
  double ticks_per_ns;
  uint64_t end; /* when it ended; 0: it has not run */
};

static void spin(void *work) {
  struct child *const own = work;
  const uint64_t until = cycles_ticks() + (uint64_t)(spin_ns * own->ticks_per_ns);
  uint64_t now;
  do {
    now = cycles_ticks();
  } while (now < until);
  own->end = now;
}

static void fork_one(double ticks_per_ns) {
  struct child one = {ticks_per_ns, 0};
  const int rank = weft_dist_rank();
  const uint64_t start = cycles_ticks();
  weft_forked *const forked = weft_fork(spin, &one, sizeof one);
  const uint64_t running = cycles_ticks();
  const int is_stolen = weft_dist_rank() != rank;
  if (is_stolen && starts < forks) starts_ns[starts++] = (double)(running - start) / ticks_per_ns;
  weft_fork_join(forked, spin, &one, sizeof one);
  const uint64_t resumed = cycles_ticks();
  if (is_stolen && resumes < forks) resumes_ns[resumes++] = (double)(resumed - one.end) / ticks_per_ns;
}

static void fork_many(void *work) {
  const double ticks_per_ns = *(double *)work;
  for (int i = 0; i < forks; ++i) fork_one(ticks_per_ns);
}

static void print(const char *name, const double *samples, int count) {
  printf("\"%s\": [", name);
  for (int i = 0; i < count; ++i) printf("%s%.0f", i == 0 ? "" : ", ", samples[i]);
  printf("]");
}

static void rest(void *work) { (void)work; }

static void next_rank(void) {
  if (weft_dist_root(rest, NULL, 0) != WEFT_OK) exit(1);
}

int main(void) {
  if (weft_dist_ranks() != 2) {
    fprintf(stderr, "usage: weft launch -n 2 uni-steal\n");
    return 2;
  }
  double ticks_per_ns = cycles_find_rates().ticks_per_ns;
  if (weft_dist_root(fork_many, &ticks_per_ns, sizeof ticks_per_ns) != WEFT_OK) return 1;
  weft_dist_counts counts;
  weft_dist_read_counts(&counts);
  for (int turn = 0; turn < weft_dist_ranks(); ++turn) {
    if (turn == weft_dist_rank()) {
      printf("{\"forks\": %d, \"steals\": %llu, \"stolen_bytes\": %llu, ", forks, (unsigned long long)counts.steals,
             (unsigned long long)counts.stolen_bytes);
      printf("\"claim_ns\": %.0f, \"copy_ns\": %.0f, \"take_up_ns\": %.0f, ", (double)counts.claim_ticks / ticks_per_ns,
             (double)counts.copy_ticks / ticks_per_ns, (double)counts.take_up_ticks / ticks_per_ns);
      print("starts_ns", starts_ns, starts);
      printf(", ");
      print("resumes_ns", resumes_ns, resumes);
      printf("}\n");
      fflush(stdout);
    }
    next_rank();
  }
  return 0;
}
