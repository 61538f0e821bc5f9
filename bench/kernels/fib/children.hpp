// fib over harness/children.hpp, the children as in weft_fork.cpp and weft_ult.cpp.
#pragma once

#include "harness/together.hpp"
#include "kernels/fib/fib.hpp"

namespace bench::fib {

template <class Way>
std::uint64_t every_call_by(std::uint64_t n) {
  if (n < no_cutoff) return n;
  std::uint64_t left = 0;
  std::uint64_t right = 0;
  Way::run(leaf_when<Way>(n - 2 < no_cutoff, [&] { right = every_call_by<Way>(n - 2); }),
           leaf_when<Way>(n - 1 < no_cutoff, [&] { left = every_call_by<Way>(n - 1); }));
  return left + right;
}

template <class Way>
std::uint64_t above_cutoff_by(std::uint64_t n) {
  if (n < cutoff) return plain(n);
  std::uint64_t left = 0;
  std::uint64_t right = 0;
  Way::spawn_all(leaf_when<Way>(n - 2 < cutoff, [&] { right = above_cutoff_by<Way>(n - 2); }),
                 leaf_when<Way>(n - 1 < cutoff, [&] { left = above_cutoff_by<Way>(n - 1); }));
  return left + right;
}

template <class Way>
kernel_run run_by(const kernel_input& input, stopwatch& watch) {
  watch.start();
  std::uint64_t const result = every_call_by<Way>(input.size);
  watch.stop();
  return {result, calls(input.size, no_cutoff), {}};
}

template <class Way>
kernel_run run_cutoff_by(const kernel_input& input, stopwatch& watch) {
  watch.start();
  std::uint64_t const result = above_cutoff_by<Way>(input.size);
  watch.stop();
  return {result, calls(input.size, cutoff), {}};
}

}  // namespace bench::fib
