#include <weft/fork.hpp>

#include "kernels/btc/btc.hpp"

namespace bench::btc {

namespace {

std::uint64_t count_leaves(std::uint64_t depth) noexcept {
  if (depth == 0) return 1;
  auto left = weft::fork([=] { return count_leaves(depth - 1); });
  auto right = weft::fork([=] { return count_leaves(depth - 1); });
  std::uint64_t const leaves = right.join();
  return leaves + left.join();
}

}  // namespace

kernel_run run_fork(const kernel_input& input, stopwatch& watch) { return run(input, watch, count_leaves); }

}  // namespace bench::btc
