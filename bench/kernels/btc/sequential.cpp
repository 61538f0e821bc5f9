#include "kernels/btc/btc.hpp"

namespace bench::btc {

namespace {

// The empty asm keeps every call a call: without it compilers merge most of them.
[[gnu::noinline]] std::uint64_t count_leaves(std::uint64_t depth) {
  asm volatile("" : "+r"(depth));
  return depth == 0 ? 1 : count_leaves(depth - 1) + count_leaves(depth - 1);
}

}  // namespace

kernel_run run_sequential(const kernel_input& input, stopwatch& watch) { return run(input, watch, count_leaves); }

}  // namespace bench::btc
