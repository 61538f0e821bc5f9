#include "tally.h"

#include "tally_hot.h"

int tally_add(struct tally *tally, long amount) { return tally_add_hot(tally, amount); }

int tally_add_pair(struct tally *tally, long first, long second) {
  const int status = tally_add(tally, first);
  return status != 0 ? status : tally_add(tally, second);
}

weft_forked *tally_fork(void (*run)(void *work), struct tally *const *work) { return tally_fork_hot(run, work); }

void tally_join(weft_forked *forked, void (*run)(void *work), struct tally **work) { tally_join_hot(forked, run, work); }
