/* Trees of forks on ranks: `[weft launch -n RANKS] uni-tree HOW ...`, of which rank 0 prints what
 * bench/published reads.
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

/* Words of the command line, which each rank reads for itself. */
static int iterations; /* of BTC */
static double leaf_ticks;

static void run_btc(void *work);

static unsigned long count_btc(unsigned long depth) {
  if (depth == 0) return 1;
  unsigned long made = 0;
  for (int i = 0; i < iterations; ++i) {
    unsigned long left = depth - 1, right = depth - 1;
    weft_forked *const one = weft_fork(run_btc, &left, sizeof left);
    weft_forked *const other = weft_fork(run_btc, &right, sizeof right);
    weft_fork_join(other, run_btc, &right, sizeof right);
    weft_fork_join(one, run_btc, &left, sizeof left);
    made += left + right;
  }
  return made;
}

/* A task carries its depth, or the leaves of its range, and brings back how many leaves it has
 * computed. */
static void run_btc(void *work) { *(unsigned long *)work = count_btc(*(unsigned long *)work); }

static unsigned long spin(void) {
  const uint64_t until = cycles_ticks() + (uint64_t)leaf_ticks;
  while (cycles_ticks() < until) continue;
  return 1;
}

static void run_pfor(void *work);

static unsigned long pfor(unsigned long leaves) {
  if (leaves == 1) return spin();
  unsigned long left = leaves / 2;
  weft_forked *const forked = weft_fork(run_pfor, &left, sizeof left);
  const unsigned long right = pfor(leaves - leaves / 2);
  weft_fork_join(forked, run_pfor, &left, sizeof left);
  return left + right;
}
static void run_pfor(void *work) { *(unsigned long *)work = pfor(*(unsigned long *)work); }

static void run_recpfor(void *work);

static unsigned long recpfor(unsigned long leaves) {
  unsigned long made = 0;
  for (int block = 0; block < blocks; ++block) made += pfor(leaves);
  if (leaves == 1) return made;
  unsigned long left = leaves / 2;
  weft_forked *const forked = weft_fork(run_recpfor, &left, sizeof left);
  made += recpfor(leaves - leaves / 2);
  weft_fork_join(forked, run_recpfor, &left, sizeof left);
  return made + left;
}
static void run_recpfor(void *work) { *(unsigned long *)work = recpfor(*(unsigned long *)work); }

static void run_nothing(void *work) { (void)work; }

/* ---- what is asked for ---- */

struct asked {
  void (*run)(void *work);
  unsigned long work; /* what the root carries, and brings back */
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
  *out = (struct asked){run_nothing, 0, 0, 0};
  if (strcmp(how, "nothing") == 0) return count == 2;
  if (count != 4) return false;
  const int first = atoi(words[2]), second = atoi(words[3]);
  if (first < 1 || first > 32 || second < 1) return false;
  iterations = second;
  leaf_ticks = second * 1e3 * ticks_per_ns;
  const unsigned long leaves = leaves_of_recpfor(first);
  if (strcmp(how, "btc") == 0) {
    *out = (struct asked){run_btc, (unsigned long)first, power(2UL * (unsigned long)second, first), 0};
    return true;
  }
  *out = (struct asked){run_recpfor, 1UL << first, leaves, (double)leaves * second / 1e6};
  return strcmp(how, "recpfor") == 0 && first <= 24;
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
  if (weft_dist_root(asked.run, &asked.work, sizeof asked.work) != WEFT_OK) return 1;
  const double seconds = (double)(cycles_ticks() - began) / ticks_per_ns / 1e9;
  if (weft_dist_rank() != 0) return 0;
  printf(
      "{\"format\": \"weft-figures-1\", \"correct\": %s, \"figures\": {\"seconds\": %.9f, \"work_seconds\": %.6f, \"ranks\": %d, "
      "\"steals_of_rank_0\": %llu}, \"facts\": {}}\n",
      asked.work == asked.expected ? "true" : "false", seconds, asked.work_seconds, weft_dist_ranks(), steals_of_rank_0());
  return 0;
}
