#include "kernels/fib/fib.hpp"

namespace bench::fib {

// The empty asm keeps every call a call: without it compilers merge most of them.
[[gnu::noinline]] std::uint64_t plain(std::uint64_t n) {
  asm volatile("" : "+r"(n));
  return n < 2 ? n : plain(n - 1) + plain(n - 2);
}

kernel_run run_sequential(const kernel_input& input, stopwatch& watch) {
  watch.start();
  std::uint64_t const result = plain(input.size);
  watch.stop();
  return {result, calls(input.size, no_cutoff), {}};
}

kernel_run run_sequential_cutoff(const kernel_input& input, stopwatch& watch) {
  kernel_run run = run_sequential(input, watch);
  run.units = calls(input.size, cutoff);
  return run;
}

}  // namespace bench::fib
