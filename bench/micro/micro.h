/* One operation, measured: `micro-RUNTIME NAME WORKERS` prints the nanoseconds of one operation,
 * the best of three rounds after a warm-up; with --figures behind it, the same in cycles too, as
 * bench/published reads it. Each runtime's file fills the table; compare.py runs the programs in
 * turn and prints ratios. */
#ifndef WEFT_BENCH_MICRO_H
#define WEFT_BENCH_MICRO_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cycles.h"

#define MICRO_BATCH 1000
#define MICRO_CREATIONS 500000L
#define MICRO_SWITCHES 1000000L
#define MICRO_FIB 27
#define MICRO_BLOCKED 100000L
#define MICRO_SIZED_STACK ((size_t)256 * 1024) /* of create-join-sized */

struct micro {
  const char *name;
  double (*run)(void); /* what one operation cost, in nanoseconds (or bytes) */
};

/* The runtime's: starts it, ends it, and its table, closed by a null name. */
void micro_start(unsigned workers);
void micro_stop(void);
extern const struct micro micro_table[];

static inline double micro_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static inline void micro_check(int is_right, const char *what) {
  if (is_right) return;
  fprintf(stderr, "micro: wrong: %s\n", what);
  abort();
}

/* What the compiler may neither drop nor move. */
static inline void micro_keep(void *value) { __asm__ volatile("" : : "r"(value) : "memory"); }

/* Calls of fib(n), other than the first: each is one thread. */
static inline double micro_fib_threads(void) {
  long calls[MICRO_FIB + 1];
  calls[0] = calls[1] = 0;
  for (int n = 2; n <= MICRO_FIB; ++n) calls[n] = calls[n - 1] + calls[n - 2] + 1;
  return (double)calls[MICRO_FIB];
}
#define MICRO_FIB_ANSWER 196418L

/* Forks: fib(36), and batches whose children keep the low three bits of their numbers. */
#define MICRO_FORK_FIB 36
#define MICRO_FORK_FIB_ANSWER 14930352L
#define MICRO_FORK_FIB_FORKS 24157816.0
#define MICRO_FORKS 10000000L
#define MICRO_FLAT_SUM (MICRO_BATCH / 8 * 28L)

/* Resident memory and page tables of this process, in bytes. */
static inline double micro_memory(void) {
  char line[256];
  double kib = 0;
  FILE *status = fopen("/proc/self/status", "r");
  if (status == NULL) return 0;
  while (fgets(line, sizeof line, status) != NULL) {
    long value;
    if (sscanf(line, "VmRSS: %ld", &value) == 1 || sscanf(line, "VmPTE: %ld", &value) == 1) kib += (double)value;
  }
  fclose(status);
  return kib * 1024;
}

static inline int micro_refuse(const char *program) {
  fprintf(stderr, "usage: %s NAME [WORKERS [--figures]]; names:", program);
  for (const struct micro *one = micro_table; one->name != NULL; ++one) fprintf(stderr, " %s", one->name);
  fprintf(stderr, "\n");
  return 2;
}

static inline double micro_measure(const struct micro *what, unsigned workers) {
  micro_start(workers);
  double best = what->run();
  for (int round = 0; round < 3; ++round) {
    const double now = what->run();
    if (round == 0 || now < best) best = now;
  }
  micro_stop();
  return best;
}

static inline void micro_print_figures(double ns) {
  const struct cycles_rates rates = cycles_find_rates();
  cycles_print_figures(1, ns * rates.ticks_per_ns, rates); /* a wrong result has ended the program */
}

static inline int micro_main(int argc, char **argv) {
  const int has_figures = argc == 4 && strcmp(argv[3], "--figures") == 0;
  if (argc < 2 || argc > 4 || (argc == 4 && !has_figures)) return micro_refuse(argv[0]);
  for (const struct micro *one = micro_table; one->name != NULL; ++one) {
    if (strcmp(one->name, argv[1]) != 0) continue;
    const double best = micro_measure(one, argc >= 3 ? (unsigned)atoi(argv[2]) : 1);
    if (has_figures)
      micro_print_figures(best);
    else
      printf("%.3f\n", best);
    return 0;
  }
  fprintf(stderr, "%s: no operation '%s'\n", argv[0], argv[1]);
  return micro_refuse(argv[0]);
}

#endif
