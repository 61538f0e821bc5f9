// many-tbb: oneTBB's loops and tasks on the machine of many CPUs, compiled from the folder that
// MANY_TBB names.
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_group.h>

#include "kernels/fib/fib.hpp"
#include "many.h"
#include "programs/driver.hpp"

namespace {

std::uint64_t fork_every_call(std::uint64_t n) {
  if (n < bench::fib::no_cutoff) return n;
  std::uint64_t left = 0;
  tbb::task_group group;
  group.run([&left, n] { left = fork_every_call(n - 1); });
  const std::uint64_t right = fork_every_call(n - 2);
  group.wait();
  return left + right;
}

bench::kernel_run run_fib(const bench::kernel_input& input, bench::stopwatch& watch) {
  watch.start();
  const std::uint64_t answer = fork_every_call(input.size);
  watch.stop();
  return {answer, bench::fib::calls(input.size, bench::fib::no_cutoff), {}};
}

constexpr many_program::program programs[] = {{"fib", &bench::fib::every_call, run_fib, 22, ~std::uint64_t{0}}};

void loop(std::uint64_t steps) {
  tbb::parallel_for(
      tbb::blocked_range<std::size_t>(0, steps, 1),
      [](const tbb::blocked_range<std::size_t>& part) {
        for (std::size_t i = part.begin(); i != part.end(); ++i) many_program::step();
      },
      tbb::simple_partitioner());
}

}  // namespace

int main(int argument_count, char** arguments) {
  const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, many_cpus());
  return many_program::drive({"tbb", programs, loop, nullptr, nullptr}, argument_count, arguments);
}
