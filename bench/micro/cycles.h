/* Cycles. What a program can read at any time is a counter of constant rate (ticks: the TSC, the
 * generic timer of ARM); the core's own clock goes up and down with load and heat. So figures are
 * taken in ticks, and said in core cycles too, by how many of these a tick was just then: a chain
 * of additions, each of which waits for the one before, takes a cycle an addition on all CPUs that
 * this runs on.
 *
 * Nothing here loops until a time has passed, so that callgrind counts the same instructions in
 * every run. */
#ifndef WEFT_BENCH_CYCLES_H
#define WEFT_BENCH_CYCLES_H

#include <stdint.h>
#include <stdio.h>
#include <time.h>

#if defined(__x86_64__)
#define CYCLES_OF "TSC"
static inline uint64_t cycles_ticks(void) {
  uint32_t low, high;
  __asm__ volatile("lfence; rdtsc; lfence" : "=a"(low), "=d"(high)::"memory"); /* neither runs ahead nor is run ahead of */
  return (uint64_t)high << 32 | low;
}
#define CYCLES_ADD "add %1, %0\n\t"
#elif defined(__aarch64__)
#define CYCLES_OF "generic timer"
static inline uint64_t cycles_ticks(void) {
  uint64_t ticks;
  __asm__ volatile("isb; mrs %0, cntvct_el0; isb" : "=r"(ticks)::"memory");
  return ticks;
}
#define CYCLES_ADD "add %0, %0, %1\n\t"
#else
#error "cycles.h: say here how this CPU's counter is read and how it adds two registers"
#endif

static inline double cycles_clock_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

#define CYCLES_ADD_10 \
  CYCLES_ADD CYCLES_ADD CYCLES_ADD CYCLES_ADD CYCLES_ADD CYCLES_ADD CYCLES_ADD CYCLES_ADD CYCLES_ADD CYCLES_ADD
#define CYCLES_ADDITIONS 100
#define CYCLES_CHAINS 20000
#define CYCLES_TRIES 5

static inline void cycles_add_one_after_another(void) {
  uint64_t sum = 0;
  const uint64_t one = 1;
  for (int i = 0; i < CYCLES_CHAINS; ++i) {
    __asm__ volatile(CYCLES_ADD_10 CYCLES_ADD_10 CYCLES_ADD_10 CYCLES_ADD_10 CYCLES_ADD_10 CYCLES_ADD_10 CYCLES_ADD_10
                         CYCLES_ADD_10 CYCLES_ADD_10 CYCLES_ADD_10
                     : "+r"(sum)
                     : "r"(one));
  }
}

struct cycles_rates {
  double ticks_per_ns;
  double core_cycles_per_tick;
};

/* By the fastest of a few tries: what disturbs makes them slower. */
static inline struct cycles_rates cycles_find_rates(void) {
  struct cycles_rates rates = {0, 0};
  for (int i = 0; i < CYCLES_TRIES; ++i) {
    const double start_ns = cycles_clock_ns();
    const uint64_t start = cycles_ticks();
    cycles_add_one_after_another();
    const double ticks = (double)(cycles_ticks() - start);
    const double ns = cycles_clock_ns() - start_ns;
    const double per_tick = (double)CYCLES_CHAINS * CYCLES_ADDITIONS / ticks;
    if (per_tick < rates.core_cycles_per_tick) continue;
    rates.core_cycles_per_tick = per_tick;
    rates.ticks_per_ns = ticks / ns;
  }
  return rates;
}

#if defined(__clang__)
#define CYCLES_COMPILER "clang " __clang_version__
#else
#define CYCLES_COMPILER "gcc " __VERSION__
#endif

/* What bench/published reads: one operation in ticks, core cycles and nanoseconds. */
static inline void cycles_print_figures(int is_right, double ticks, struct cycles_rates rates) {
  printf(
      "{\"format\": \"weft-figures-1\", \"correct\": %s, \"figures\": {\"ticks\": %.4f, \"core_cycles\": %.4f, \"ns\": %.4f}, "
      "\"facts\": {\"counter\": \"%s\", \"ticks_per_ns\": %.4f, \"core_cycles_per_tick\": %.4f, \"compiler\": \"%s\"}}\n",
      is_right ? "true" : "false", ticks, ticks * rates.core_cycles_per_tick, ticks / rates.ticks_per_ns, CYCLES_OF,
      rates.ticks_per_ns, rates.core_cycles_per_tick, CYCLES_COMPILER);
}

#endif
