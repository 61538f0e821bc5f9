#include "harness/weft_tascell.hpp"
#include "kernels/fib/fib.hpp"

extern "C" std::uint64_t bench_tascell_fib(weft_tascell_worker*, weft_tascell_record*, std::uint64_t n);  // fib.tc

namespace bench::fib {

namespace {

std::uint64_t above_cutoff(tascell::context c, std::uint64_t n);
inline std::uint64_t call(tascell::context c, std::uint64_t n) { return n < no_cutoff ? n : above_cutoff(c, n); }

struct given_call {
  std::uint64_t n;
  std::uint64_t result;
  void run(tascell::context c) { result = call(c, n); }
};

// callee(context, n): what the two calls are.
template <class Callee>
[[gnu::always_inline]] inline std::uint64_t both_calls(tascell::context c, std::uint64_t n, Callee callee) {
  std::uint64_t left = 0;
  std::uint64_t right = 0;
  tascell::do_two(
      c, [&](tascell::context inner) { left = callee(inner, n - 1); },
      [&](tascell::context inner) { right = callee(inner, n - 2); }, [n] { return given_call{n - 2, 0}; },
      [&](const given_call& given) { right = given.result; });
  return left + right;
}

// The recursion is unfolded once. Compilers do so with plain calls, but not with functions that
// exceptions may leave.
[[gnu::noinline]] std::uint64_t above_cutoff(tascell::context c, std::uint64_t n) {
  return both_calls(c, n, [](tascell::context inner, std::uint64_t below) {
    if (below < no_cutoff) return below;
    return both_calls(inner, below, [](tascell::context last, std::uint64_t m) { return call(last, m); });
  });
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
