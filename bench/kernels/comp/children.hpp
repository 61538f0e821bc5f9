// Array comparison over harness/children.hpp.
#pragma once

#include "harness/children.hpp"
#include "kernels/comp/comp.hpp"

namespace bench::comp {

template <class Way>
std::uint64_t count_by(const block& of) {
  if (of.is_leaf()) return count_leaf(of);
  halves const parts = halve(of);
  std::uint64_t first = 0;
  std::uint64_t second = 0;
  Way::run([&] { first = count_by<Way>(parts.first); }, [&] { second = count_by<Way>(parts.second); });
  return first + second;
}

template <class Way>
kernel_run run_by(const kernel_input& input, stopwatch& watch) {
  return run(input, watch, count_by<Way>);
}

}  // namespace bench::comp
