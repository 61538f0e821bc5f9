#include <lace.h>

#include "kernels/creation/creation.hpp"
#include "kernels/lace.hpp"

namespace bench::creation {

VOID_TASK_1(run_child, child*, one) { one->run(); }

VOID_TASK_2(run_batch, child*, first, std::size_t, count) {
  for (std::size_t index = count; --index > 0;) SPAWN(run_child, first + index);
  first->run();
  for (std::size_t index = 1; index < count; ++index) SYNC(run_child);
}

TASK_1(std::uint64_t, run_chain, std::uint64_t, length) {
  if (length == 0) return 0;
  SPAWN(run_chain, length - 1);
  return SYNC(run_chain) + 1;
}

kernel_run run_lace_flat(const kernel_input& input, stopwatch& watch) {
  return run_flat(input, watch, [](child* first, std::size_t count) { RUN(run_batch, first, count); });
}
kernel_run run_lace_nested(const kernel_input& input, stopwatch& watch) {
  return run_nested(input, watch, [](std::uint64_t length) { return RUN(run_chain, length); });
}

}  // namespace bench::creation
