#include "kernels/libfork.hpp"
#include "kernels/comp/comp.hpp"

namespace bench::comp {

namespace {

constexpr auto count_task = [](auto self, block of) -> lf::task<std::uint64_t> {
  if (of.is_leaf()) co_return count_leaf(of);
  halves const parts = halve(of);
  std::uint64_t first = 0;
  std::uint64_t second = 0;
  co_await lf::fork(&first, self)(parts.first);
  co_await lf::call(&second, self)(parts.second);
  co_await lf::join;
  co_return first + second;
};

}  // namespace

kernel_run run_libfork(const kernel_input& input, stopwatch& watch) {
  arrays const of(input.size);
  return {result_watched<std::uint64_t>(watch, count_task, of.all()), input.size * input.size, {}};
}

}  // namespace bench::comp
