// Array comparison over harness/children.hpp.
#pragma once

#include "harness/together.hpp"
#include "kernels/comp/comp.hpp"

namespace bench::comp {

template <class Way>
std::uint64_t count_by(const block& of) {
  if (of.is_leaf()) return count_leaf(of);
  halves const parts = halve(of);
  std::uint64_t first = 0;
  std::uint64_t second = 0;
  Way::run(leaf_when<Way>(parts.first.is_leaf(), [&] { first = count_by<Way>(parts.first); }),
           leaf_when<Way>(parts.second.is_leaf(), [&] { second = count_by<Way>(parts.second); }));
  return first + second;
}

template <class Way>
kernel_run run_by(const kernel_input& input, stopwatch& watch) {
  return run(input, watch, count_by<Way>);
}

}  // namespace bench::comp
