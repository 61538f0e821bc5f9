#include <weft/fork.hpp>

#include "kernels/comp/comp.hpp"

namespace bench::comp {

namespace {

std::uint64_t count(const block& of) noexcept {
  if (of.is_leaf()) return count_leaf(of);
  halves const parts = halve(of);
  auto second = weft::fork([of = parts.second] { return count(of); });
  std::uint64_t const found = count(parts.first);
  return found + second.join();
}

}  // namespace

kernel_run run_fork(const kernel_input& input, stopwatch& watch) { return run(input, watch, count); }

}  // namespace bench::comp
