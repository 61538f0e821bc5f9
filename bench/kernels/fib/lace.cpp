#include <lace.h>

#include "kernels/fib/fib.hpp"
#include "kernels/lace.hpp"

namespace bench::fib {

TASK_1(std::uint64_t, every_call, std::uint64_t, n) {
  if (n < no_cutoff) return n;
  SPAWN(every_call, n - 1);
  std::uint64_t const right = CALL(every_call, n - 2);
  return SYNC(every_call) + right;
}

TASK_1(std::uint64_t, above_cutoff, std::uint64_t, n) {
  if (n < cutoff) return plain(n);
  SPAWN(above_cutoff, n - 1);
  SPAWN(above_cutoff, n - 2);
  std::uint64_t const right = SYNC(above_cutoff);
  return SYNC(above_cutoff) + right;
}

kernel_run run_lace(const kernel_input& input, stopwatch& watch) {
  watch.start();
  std::uint64_t const result = RUN(every_call, input.size);
  watch.stop();
  return {result, calls(input.size, no_cutoff), {}};
}

kernel_run run_lace_cutoff(const kernel_input& input, stopwatch& watch) {
  watch.start();
  std::uint64_t const result = RUN(above_cutoff, input.size);
  watch.stop();
  return {result, calls(input.size, cutoff), {}};
}

}  // namespace bench::fib
