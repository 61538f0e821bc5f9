/* Trees of forks on ranks: `[weft launch -n RANKS] uni-tree HOW ...`, of which rank 0 prints what bench/published reads.
 *   btc DEPTH ITERATIONS   Binary Task Creation of uni-address threads: a task creates two, waits for both, and does so ITERATIONS times
 *                          (by plain calls it would take no time: the compiler computes the sum)
 *   recpfor LOG US         RecPFor of Shiina and Taura (CLUSTER 2022): five loops over 2^LOG leaves that spin US microseconds, one after
 *                          the other, then the same of both halves, in parallel
 *   nothing                a root that does nothing: what the start and the end of the ranks take */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <weft/dist.h>
#include <weft/hot.h>

#include "micro/cycles.h"

enum { blocks = 5 };

/* What a task carries, and brings back. */
struct task {
  unsigned long leaves; /* below it; in: of its range */
  unsigned long made;   /* leaves that it has computed */
  double ticks;         /* of a leaf */
  int depth, iterations;
};

static void fork_two(void (*run)(void *work), struct task *left, struct task *right) {
  weft_forked *const one = weft_fork(run, left, sizeof *left);
  weft_forked *const other = weft_fork(run, right, sizeof *right);
  weft_fork_join(other, run, right, sizeof *right);
  weft_fork_join(one, run, left, sizeof *left);
}

static void run_btc(void *work) {
  struct task own = *(struct task *)work;
  own.made = own.depth == 0;
  for (int i = 0; i < own.iterations && own.depth != 0; ++i) {
    struct task left = own, right = own;
    left.depth = right.depth = own.depth - 1;
    fork_two(run_btc, &left, &right);
    own.made += left.made + right.made;
  }
  *(struct task *)work = own;
}

static void spin(double ticks) {
  const uint64_t until = cycles_ticks() + (uint64_t)ticks;
  while (cycles_ticks() < until) continue;
}

static struct task part_of(const struct task *all, unsigned long leaves) {
  struct task part = *all;
  part.leaves = leaves;
  part.made = 0;
  return part;
}

static void run_pfor(void *work) {
  struct task own = *(struct task *)work;
  own.made = 1;
  if (own.leaves > 1) {
    struct task left = part_of(&own, own.leaves / 2), right = part_of(&own, own.leaves - own.leaves / 2);
    weft_forked *const forked = weft_fork(run_pfor, &left, sizeof left);
    run_pfor(&right);
    weft_fork_join(forked, run_pfor, &left, sizeof left);
    own.made = left.made + right.made;
  } else {
    spin(own.ticks);
  }
  *(struct task *)work = own;
}

static void run_recpfor(void *work) {
  struct task own = *(struct task *)work;
  unsigned long made = 0;
  for (int block = 0; block < blocks; ++block) {
    struct task loop = part_of(&own, own.leaves);
    run_pfor(&loop);
    made += loop.made;
  }
  if (own.leaves > 1) {
    struct task left = part_of(&own, own.leaves / 2), right = part_of(&own, own.leaves - own.leaves / 2);
    weft_forked *const forked = weft_fork(run_recpfor, &left, sizeof left);
    run_recpfor(&right);
    weft_fork_join(forked, run_recpfor, &left, sizeof left);
    made += left.made + right.made;
  }
  own.made = made;
  *(struct task *)work = own;
}

static void run_nothing(void *work) { (void)work; }

/* ---- what is asked for ---- */

struct asked {
  void (*run)(void *work);
  struct task what;
  unsigned long expected;
  double work_seconds; /* of all leaves, if they take a time */
};

static unsigned long power(unsigned long base, int exponent) {
  unsigned long result = 1;
  while (exponent-- > 0) result *= base;
  return result;
}

/* Of RecPFor: a loop over all leaves at each of the levels. */
static unsigned long leaves_of_recpfor(int log) { return (unsigned long)blocks * (unsigned long)(log + 1) << log; }

static bool read_words(int count, char **words, double ticks_per_ns, struct asked *out) {
  const char *const how = count > 1 ? words[1] : "";
  *out = (struct asked){run_nothing, {0}, 0, 0};
  if (strcmp(how, "nothing") == 0) return count == 2;
  if (count != 4) return false;
  const int first = atoi(words[2]), second = atoi(words[3]);
  if (first < 1 || first > 32 || second < 1) return false;
  if (strcmp(how, "btc") == 0) {
    *out = (struct asked){run_btc, {.depth = first, .iterations = second}, power(2UL * (unsigned long)second, first), 0};
    return true;
  }
  if (strcmp(how, "recpfor") != 0 || first > 24) return false;
  const unsigned long leaves = leaves_of_recpfor(first);
  *out = (struct asked){
      run_recpfor, {.leaves = 1UL << first, .ticks = second * 1e3 * ticks_per_ns}, leaves, (double)leaves * second / 1e6};
  return true;
}

static unsigned long long steals_of_rank_0(void) {
  weft_dist_counts counts;
  weft_dist_read_counts(&counts);
  return counts.steals;
}

int main(int count, char **words) {
  const double ticks_per_ns = cycles_find_rates().ticks_per_ns;
  struct asked asked;
  if (!read_words(count, words, ticks_per_ns, &asked)) {
    fprintf(stderr, "usage: [weft launch -n RANKS] uni-tree btc DEPTH ITERATIONS|recpfor LOG US|nothing\n");
    return 2;
  }
  const uint64_t began = cycles_ticks();
  if (weft_dist_root(asked.run, &asked.what, sizeof asked.what) != WEFT_OK) return 1;
  const double seconds = (double)(cycles_ticks() - began) / ticks_per_ns / 1e9;
  if (weft_dist_rank() != 0) return 0;
  printf(
      "{\"format\": \"weft-figures-1\", \"correct\": %s, \"figures\": {\"seconds\": %.9f, \"work_seconds\": %.6f, \"ranks\": %d, "
      "\"steals_of_rank_0\": %llu}, \"facts\": {}}\n",
      asked.what.made == asked.expected ? "true" : "false", seconds, asked.work_seconds, weft_dist_ranks(), steals_of_rank_0());
  return 0;
}
