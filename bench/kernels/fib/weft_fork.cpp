#include <weft/fork.hpp>

#include "kernels/fib/fib.hpp"

namespace bench::fib {

namespace {

std::uint64_t fork_every_call(std::uint64_t n) noexcept {
  if (n < no_cutoff) return n;
  auto left = weft::fork([=] { return fork_every_call(n - 1); });
  std::uint64_t const right = fork_every_call(n - 2);
  return left.join() + right;
}

std::uint64_t fork_above_cutoff(std::uint64_t n) noexcept {
  if (n < cutoff) return plain(n);
  auto left = weft::fork([=] { return fork_above_cutoff(n - 1); });
  auto right = weft::fork([=] { return fork_above_cutoff(n - 2); });
  std::uint64_t const sum = right.join();
  return sum + left.join();
}

}  // namespace

kernel_run run_fork(const kernel_input& input, stopwatch& watch) {
  watch.start();
  std::uint64_t const result = fork_every_call(input.size);
  watch.stop();
  return {result, calls(input.size, no_cutoff), {}};
}

kernel_run run_fork_cutoff(const kernel_input& input, stopwatch& watch) {
  watch.start();
  std::uint64_t const result = fork_above_cutoff(input.size);
  watch.stop();
  return {result, calls(input.size, cutoff), {}};
}

}  // namespace bench::fib
