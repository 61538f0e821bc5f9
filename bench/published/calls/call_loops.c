#include "loops.h"

void loop_add(struct tally *tally, long rounds) {
  for (long i = 0; i < rounds; ++i) {
    (void)tally_add(tally, 1);
    AS_IF_OTHERS_LOOKED();
  }
}

void loop_pair(struct tally *tally, long rounds) {
  for (long i = 0; i < rounds; ++i) {
    (void)tally_add_pair(tally, 1, 0);
    AS_IF_OTHERS_LOOKED();
  }
}

void loop_fork(struct tally *tally, long rounds) {
  for (long i = 0; i < rounds; ++i) {
    struct tally *work = tally;
    tally_join(tally_fork(add_one, &work), add_one, &work);
  }
}
