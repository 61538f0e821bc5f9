#include "kernels/libfork.hpp"
#include "kernels/btc/btc.hpp"

namespace bench::btc {

namespace {

constexpr auto count_task = [](auto self, std::uint64_t depth) -> lf::task<std::uint64_t> {
  if (depth == 0) co_return 1;
  std::uint64_t left = 0;
  std::uint64_t right = 0;
  co_await lf::fork(&left, self)(depth - 1);
  co_await lf::fork(&right, self)(depth - 1);
  co_await lf::join;
  co_return left + right;
};

}  // namespace

kernel_run run_libfork(const kernel_input& input, stopwatch& watch) {
  return {result_watched<std::uint64_t>(watch, count_task, input.size), tasks(input.size), {}};
}

}  // namespace bench::btc
