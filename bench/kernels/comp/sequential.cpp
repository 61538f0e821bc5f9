#include "kernels/comp/comp.hpp"

namespace bench::comp {

namespace {

std::uint64_t count(const block& of) {
  if (of.is_leaf()) return count_leaf(of);
  auto const [first, second] = halve(of);
  return count(first) + count(second);
}

}  // namespace

kernel_run run_sequential(const kernel_input& input, stopwatch& watch) { return run(input, watch, count); }

}  // namespace bench::comp
