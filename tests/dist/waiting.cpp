// A forker that waits with its frames off the stack, for a debugger to find: its child, on another
// rank, spins until the job is killed. Two ranks.
#include <sched.h>

#include <weft/dist.h>
#include <weft/hot.h>

extern "C" {

void spin_until_killed(void*) {
  for (;;) sched_yield();
}

void wait_for_spinner(void* work) {
  weft_forked* const forked = weft_fork(spin_until_killed, work, sizeof(long));
  weft_fork_join(forked, spin_until_killed, work, sizeof(long));
}
}

int main() {
  long nothing = 0;
  return weft_dist_root(wait_for_spinner, &nothing, sizeof nothing) == WEFT_OK ? 0 : 1;
}
