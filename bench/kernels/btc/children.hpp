// Binary Task Creation over harness/children.hpp.
#pragma once

#include "harness/together.hpp"
#include "kernels/btc/btc.hpp"

namespace bench::btc {

template <class Way>
std::uint64_t count_leaves_by(std::uint64_t depth) {
  if (depth == 0) return 1;
  std::uint64_t left = 0;
  std::uint64_t right = 0;
  Way::spawn_all(leaf_when<Way>(depth == 1, [&] { right = count_leaves_by<Way>(depth - 1); }),
                 leaf_when<Way>(depth == 1, [&] { left = count_leaves_by<Way>(depth - 1); }));
  return left + right;
}

template <class Way>
kernel_run run_by(const kernel_input& input, stopwatch& watch) {
  return run(input, watch, count_leaves_by<Way>);
}

}  // namespace bench::btc
