// Threads that are made and waited for, with next to nothing to do in each.
//   create-flat    one parent makes its children in batches and joins each batch
//   create-nested  every child makes the next one and joins it, in chains: all of a chain live at the same time
// With tasks and forks instead of threads, one child of each batch is a plain call; in a chain
// every child is a task. Compilers inline some levels of tasks and forks into each other, but the
// plain calls of the sequential variant stay calls, so that a chain of forks may be faster than
// they. units: creations, which is to say children.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>

#include "harness/kernel.hpp"

namespace bench::creation {

inline constexpr std::size_t batch = 256;
inline constexpr std::uint64_t chain = 64;

struct child {
  std::uint64_t number;
  std::uint64_t noted;  // by the child: its number

  static constexpr bool is_leaf() { return true; }
  void run() { noted = number; }
};

// run_batch(first, count): runs these children and waits for them.
template <class RunBatch>
kernel_run run_flat(const kernel_input& input, stopwatch& watch, RunBatch run_batch) {
  std::array<child, batch> children;
  std::uint64_t sum = 0;
  watch.start();
  for (std::uint64_t made = 0; made < input.size;) {
    auto const count = static_cast<std::size_t>(std::min<std::uint64_t>(batch, input.size - made));
    for (std::size_t index = 0; index < count; ++index) children[index] = {++made, 0};
    run_batch(children.data(), count);
    for (std::size_t index = 0; index < count; ++index) sum += children[index].noted;
  }
  watch.stop();
  return {sum, input.size, {}};
}

// run_chain(length): how many children it made.
template <class RunChain>
kernel_run run_nested(const kernel_input& input, stopwatch& watch, RunChain run_chain) {
  std::uint64_t made = 0;
  watch.start();
  for (std::uint64_t left = input.size; left > 0; left -= std::min(chain, left)) made += run_chain(std::min(chain, left));
  watch.stop();
  return {made, input.size, {}};
}

kernel_run run_flat_sequential(const kernel_input& input, stopwatch& watch);
kernel_run run_nested_sequential(const kernel_input& input, stopwatch& watch);
kernel_run run_flat_ult(const kernel_input& input, stopwatch& watch);
kernel_run run_nested_ult(const kernel_input& input, stopwatch& watch);
kernel_run run_flat_fork(const kernel_input& input, stopwatch& watch);
kernel_run run_nested_fork(const kernel_input& input, stopwatch& watch);

extern const kernel flat;
extern const kernel nested;

}  // namespace bench::creation
