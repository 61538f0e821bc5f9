#include "harness/weft_tascell.hpp"
#include "kernels/fib/fib.hpp"

extern "C" std::uint64_t bench_tascell_fib(weft_tascell_worker*, weft_tascell_record*, std::uint64_t n);  // fib.tc

namespace bench::fib {

namespace {

std::uint64_t both_calls(tascell::context c, std::uint64_t n);

inline std::uint64_t call(tascell::context c, std::uint64_t n) { return n < no_cutoff ? n : both_calls(c, n); }

[[gnu::noinline]] std::uint64_t both_calls(tascell::context c, std::uint64_t n) {
  std::uint64_t left = 0;
  std::uint64_t right = 0;
  tascell::do_two(
      c, [&](tascell::context inner) { left = call(inner, n - 1); }, [&](tascell::context inner) { right = call(inner, n - 2); });
  return left + right;
}

}  // namespace

kernel_run run_tascell(const kernel_input& input, stopwatch& watch) {
  return {run_compiled(watch, bench_tascell_fib, input.size), calls(input.size, no_cutoff), {}};
}

kernel_run run_tascell_library(const kernel_input& input, stopwatch& watch) {
  std::uint64_t const result = bench::run_tascell(watch, [&](tascell::context c) { return call(c, input.size); });
  return {result, calls(input.size, no_cutoff), {}};
}

}  // namespace bench::fib
