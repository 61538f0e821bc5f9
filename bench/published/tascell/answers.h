/* The right answers, from elsewhere than the programs. */
#ifndef WEFT_BENCH_TASCELL_ANSWERS_H
#define WEFT_BENCH_TASCELL_ANSWERS_H

#include <string.h>

static inline long fib_of(long n) {
  long current = 0, next = 1;
  for (; n > 0; --n) {
    const long after = current + next;
    current = next;
    next = after;
  }
  return current;
}

/* OEIS A000170; 0: no size to measure. */
static inline long queens_of(long n) {
  static const long known[] = {0, 1, 0, 0, 2, 10, 4, 40, 92, 352, 724, 2680, 14200, 73712, 365596, 2279184, 14772512};
  return n >= 0 && n < (long)(sizeof known / sizeof known[0]) ? known[n] : 0;
}

/* name: the program's. Pentominoes have one size, 12 pieces: 2339, by C. B. Haselgrove, J.
 * Haselgrove, Eureka 23 (1960). */
static inline long answer_of(const char *name, long size) {
  if (strncmp(name, "fib", 3) == 0) return size > 0 && size <= 60 ? fib_of(size) : 0;
  if (strncmp(name, "nq", 2) == 0) return queens_of(size);
  if (strncmp(name, "comp", 4) == 0) return size > 1 && size <= 1000000 ? size - 1 : 0;
  return size == 12 ? 2339 : 0;
}

#endif
