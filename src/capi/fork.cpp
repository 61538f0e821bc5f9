// hot.h: what it does not inline.

#include "run/fork.hpp"

#include <weft/hot.h>

namespace sched = weft::sched;

extern "C" {

weft_forked* weft_fork_slowly(void (*run)(void* work), const void* work, size_t bytes) {
  return sched::fork_slow(run, work, bytes);
}

weft_forked* weft_fork_small_slowly(void (*run)(void* work), weft_small_work work) {
  return sched::fork_slow(run, &work, sizeof work);
}

void weft_fork_at_limit(weft_forked*) { sched::fork_at_limit(); }

bool weft_fork_join_slowly(weft_forked* forked) { return sched::join_fork_slow(forked); }

bool weft_forks_move(void) { return false; }

}  // extern "C"
