#include "kernels/libfork.hpp"
#include "kernels/fib/fib.hpp"

namespace bench::fib {

namespace {

constexpr auto every_call_task = [](auto self, std::uint64_t n) -> lf::task<std::uint64_t> {
  if (n < no_cutoff) co_return n;
  std::uint64_t left = 0;
  std::uint64_t right = 0;
  co_await lf::fork(&left, self)(n - 1);
  co_await lf::call(&right, self)(n - 2);
  co_await lf::join;
  co_return left + right;
};

constexpr auto above_cutoff_task = [](auto self, std::uint64_t n) -> lf::task<std::uint64_t> {
  if (n < cutoff) co_return plain(n);
  std::uint64_t left = 0;
  std::uint64_t right = 0;
  co_await lf::fork(&left, self)(n - 1);
  co_await lf::fork(&right, self)(n - 2);
  co_await lf::join;
  co_return left + right;
};

}  // namespace

kernel_run run_libfork(const kernel_input& input, stopwatch& watch) {
  return {result_watched<std::uint64_t>(watch, every_call_task, input.size), calls(input.size, no_cutoff), {}};
}

kernel_run run_libfork_cutoff(const kernel_input& input, stopwatch& watch) {
  return {result_watched<std::uint64_t>(watch, above_cutoff_task, input.size), calls(input.size, cutoff), {}};
}

}  // namespace bench::fib
