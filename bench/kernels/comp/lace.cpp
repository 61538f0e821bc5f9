#include <lace.h>

#include "kernels/comp/comp.hpp"
#include "kernels/lace.hpp"

namespace bench::comp {

TASK_1(std::uint64_t, count, block, of) {
  if (of.is_leaf()) return count_leaf(of);
  halves const parts = halve(of);
  SPAWN(count, parts.second);
  std::uint64_t const first = CALL(count, parts.first);
  return SYNC(count) + first;
}

kernel_run run_lace(const kernel_input& input, stopwatch& watch) {
  return run(input, watch, [](const block& all) { return RUN(count, all); });
}

}  // namespace bench::comp
