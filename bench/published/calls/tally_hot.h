/* tally.h inlined. */
#ifndef WEFT_BENCH_TALLY_HOT_H
#define WEFT_BENCH_TALLY_HOT_H

#include <stddef.h>

#include "tally.h"

static inline int tally_add_hot(struct tally *tally, long amount) {
  if (tally == NULL) return -1;
  tally->sum += amount;
  ++tally->calls;
  return 0;
}

static inline int tally_add_pair_hot(struct tally *tally, long first, long second) {
  const int status = tally_add_hot(tally, first);
  return status != 0 ? status : tally_add_hot(tally, second);
}

static inline weft_forked *tally_fork_hot(void (*run)(void *work), struct tally *const *work) {
  return weft_fork(run, work, sizeof *work);
}

static inline void tally_join_hot(weft_forked *forked, void (*run)(void *work), struct tally **work) {
  weft_fork_join(forked, run, work, sizeof *work);
}

#endif
