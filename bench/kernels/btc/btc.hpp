// Binary Task Creation: a full binary tree of tasks with nothing in its nodes; both children of a
// node are tasks, also with forks. The scalability test of uni-address threads: Akiyama, Taura
// (2015), doi:10.1145/2749246.2749272. The answer is the number of leaves. units: tasks, those that
// are not the root; each is a thread in the ult variant.
#pragma once

#include "harness/kernel.hpp"

namespace bench::btc {

constexpr std::uint64_t tasks(std::uint64_t depth) { return (std::uint64_t{2} << depth) - 2; }
static_assert(tasks(0) == 0 && tasks(3) == 2 + 4 + 8);

kernel_run run_sequential(const kernel_input& input, stopwatch& watch);
kernel_run run_ult(const kernel_input& input, stopwatch& watch);
kernel_run run_fork(const kernel_input& input, stopwatch& watch);

// count_leaves(depth)
template <class Count>
kernel_run run(const kernel_input& input, stopwatch& watch, Count count_leaves) {
  watch.start();
  std::uint64_t const leaves = count_leaves(input.size);
  watch.stop();
  return {leaves, tasks(input.size), {}};
}

extern const kernel btc;

}  // namespace bench::btc
