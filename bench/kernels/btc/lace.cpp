#include <lace.h>

#include "kernels/btc/btc.hpp"
#include "kernels/lace.hpp"

namespace bench::btc {

TASK_1(std::uint64_t, count_leaves, std::uint64_t, depth) {
  if (depth == 0) return 1;
  SPAWN(count_leaves, depth - 1);
  SPAWN(count_leaves, depth - 1);
  std::uint64_t const right = SYNC(count_leaves);
  return SYNC(count_leaves) + right;
}

kernel_run run_lace(const kernel_input& input, stopwatch& watch) {
  return run(input, watch, [](std::uint64_t depth) { return RUN(count_leaves, depth); });
}

}  // namespace bench::btc
