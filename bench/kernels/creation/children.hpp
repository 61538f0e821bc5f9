// Children in batches and in chains over harness/children.hpp.
#pragma once

#include "harness/children.hpp"
#include "kernels/creation/creation.hpp"

namespace bench::creation {

template <class Way>
kernel_run run_flat_by(const kernel_input& input, stopwatch& watch) {
  return run_flat(input, watch, [](child* first, std::size_t count) { Way::run_all(first, count); });
}

template <class Way>
std::uint64_t run_chain_by(std::uint64_t length) {
  if (length == 0) return 0;
  std::uint64_t below = 0;
  Way::spawn_all([&] { below = run_chain_by<Way>(length - 1); });
  return below + 1;
}

template <class Way>
kernel_run run_nested_by(const kernel_input& input, stopwatch& watch) {
  return run_nested(input, watch, run_chain_by<Way>);
}

}  // namespace bench::creation
