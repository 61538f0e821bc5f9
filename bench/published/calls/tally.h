/* A library of three calls that are as short as a runtime's are. call.c calls them in a static
 * and in a shared library, or inlined. */
#ifndef WEFT_BENCH_TALLY_H
#define WEFT_BENCH_TALLY_H

#include <weft/hot.h>

struct tally {
  long sum;
  long calls;
};

/* 0, or -1 where there is no tally: a check and two words of state, as a lock's or a counter's
 * fast path has. */
int tally_add(struct tally *tally, long amount);

/* Two calls of tally_add, as functions of a library call each other. */
int tally_add_pair(struct tally *tally, long first, long second);

/* A fork of tally_add's work and its join: hot.h's fast path as two calls. */
weft_forked *tally_fork(void (*run)(void *work), struct tally *const *work);
void tally_join(weft_forked *forked, void (*run)(void *work), struct tally **work);

#endif
