#include <weft/fork.hpp>

#include "kernels/creation/creation.hpp"

namespace bench::creation {

namespace {

void run_child(void* work) {
  child* one = nullptr;
  std::memcpy(&one, work, sizeof one);
  one->run();
}

void run_batch(child* first, std::size_t count) {
  std::array<weft_forked*, batch> forked;
  for (std::size_t index = count; --index > 0;) {
    child* const one = first + index;
    forked[index] = weft_fork(run_child, &one, sizeof one);
  }
  first->run();
  for (std::size_t index = 1; index < count; ++index) {
    if (weft_fork_take_back(forked[index])) first[index].run();
  }
}

std::uint64_t run_chain(std::uint64_t length) noexcept {
  if (length == 0) return 0;
  auto below = weft::fork([=] { return run_chain(length - 1); });
  return below.join() + 1;
}

}  // namespace

kernel_run run_flat_fork(const kernel_input& input, stopwatch& watch) { return run_flat(input, watch, run_batch); }
kernel_run run_nested_fork(const kernel_input& input, stopwatch& watch) { return run_nested(input, watch, run_chain); }

}  // namespace bench::creation
