/* The smallest leaf at which a run still has half, or nine tenths, of the speed that its processors
 * could give (METG of Task Bench: Slaughter et al., SC 2020). The number of leaves stays, and
 * leaves become smaller by halves until efficiency is below a quarter. A leaf is a chain of
 * multiplications; what it takes alone is measured beside it, by plain calls, in the same process.
 *
 * Included by one file for each runtime, which runs trees of forks: leaf.c, leaf_itoyori.cpp,
 * leaf_massivethreads_dm.cpp. C and C++. */
#ifndef WEFT_BENCH_UNI_LEAF_H
#define WEFT_BENCH_UNI_LEAF_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { leaf_repetitions = 3, leaf_most_sizes = 32 };
static const double leaf_longest_s = 0.3, leaf_alone_s = 0.01; /* of a run at best; of plain calls */

/* A run, as every rank knows it: `steps` trees, one after the other, of 2^depth leaves. */
struct leaf_run {
  long turns; /* of a leaf's chain */
  int depth, steps;
  double seconds;      /* that it took, out */
  double leaf_seconds; /* of a leaf in plain calls, out */
};

static inline double leaf_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

__attribute__((noinline)) static void leaf_work(long turns) {
  uint64_t value = (uint64_t)turns;
  for (long i = 0; i < turns; ++i) {
    value = value * 6364136223846793005u + 1442695040888963407u;
    __asm__ volatile("" : "+r"(value));
  }
}

/* Once, on the rank that times the run. */
static inline double leaf_time_alone(long turns) {
  double best = 0;
  for (int i = 0; i < leaf_repetitions; ++i) {
    const double began = leaf_now();
    long leaves = 0;
    double took;
    do {
      for (int j = 0; j < 16; ++j) leaf_work(turns);
      leaves += 16;
      took = leaf_now() - began;
    } while (took < leaf_alone_s);
    if (i == 0 || took / (double)leaves < best) best = took / (double)leaves;
  }
  return best;
}

struct leaf_point {
  double seconds, efficiency; /* of a leaf */
};

/* Where the efficiency first is `wanted`, from the smallest leaf on, between two points, which
 * become smaller; 0: it never is. */
static inline double leaf_smallest(const struct leaf_point *points, int count, double wanted) {
  int last = count - 1;
  while (last >= 0 && points[last].efficiency < wanted) --last;
  if (last < 0 || last + 1 == count) return last < 0 ? 0 : points[last].seconds;
  const struct leaf_point above = points[last], below = points[last + 1];
  const double share = (above.efficiency - wanted) / (above.efficiency - below.efficiency);
  return exp(log(above.seconds) + share * (log(below.seconds) - log(above.seconds)));
}

static inline void leaf_print(const struct leaf_point *points, int count, int ranks, const struct leaf_run *of,
                              const char *version) {
  printf(
      "{\"format\": \"weft-figures-1\", \"correct\": true, \"figures\": {\"half_us\": %.4f, \"nine_tenths_us\": %.4f, "
      "\"largest_us\": %.4f, \"smallest_us\": %.4f}, \"facts\": {\"ranks\": %d, \"leaves\": %ld, \"steps\": %d, \"version\": "
      "\"%s\", "
      "\"points\": \"",
      leaf_smallest(points, count, 0.5) * 1e6, leaf_smallest(points, count, 0.9) * 1e6, points[0].seconds * 1e6,
      points[count - 1].seconds * 1e6, ranks, 1L << of->depth, of->steps, version);
  for (int i = 0; i < count; ++i) printf("%s%.4g us: %.3f", i == 0 ? "" : ", ", points[i].seconds * 1e6, points[i].efficiency);
  printf("\"}}\n");
}

/* run: fills in the times of a run, in all ranks the same, or in the one that prints if ranks need
 * not agree on the next run. shape: "tree", of 4096 leaves a rank, or "steps", 64 of a leaf a rank.
 * False: no such shape. */
static inline bool leaf_sweep(const char *shape, int ranks, bool prints, const char *version, void (*run)(struct leaf_run *)) {
  struct leaf_run now = {0, 0, 0, 0, 0};
  struct leaf_point points[leaf_most_sizes];
  int count = 0;
  now.steps = strcmp(shape, "steps") == 0 ? 64 : 1;
  if (now.steps == 1 && strcmp(shape, "tree") != 0) return false;
  const long leaves = now.steps == 1 ? 4096L * ranks : ranks;
  while (1L << now.depth < leaves) ++now.depth;
  now.turns = 1L << 10;
  run(&now);
  const double most_s = leaf_longest_s * ranks / (double)(now.steps << now.depth);
  while (now.leaf_seconds * (double)now.turns / 1024 < most_s && now.turns < 1L << 30) now.turns *= 2;
  for (; count < leaf_most_sizes && now.turns > 0; now.turns /= 2) {
    double took = 0; /* the fastest: what disturbs makes it longer */
    for (int i = 0; i < leaf_repetitions; ++i) {
      run(&now);
      if (i == 0 || now.seconds < took) took = now.seconds;
    }
    const double work = now.leaf_seconds * now.steps * (double)(1L << now.depth);
    points[count++] = (struct leaf_point){now.leaf_seconds, work / ranks / took};
    if (points[count - 1].efficiency < 0.25) break;
  }
  if (prints) leaf_print(points, count, ranks, &now, version);
  return true;
}

#endif
