#include <array>

#include "kernels/libfork.hpp"
#include "kernels/queens_array/queens_array.hpp"

namespace bench::queens_array {

namespace {

constexpr auto solve_task = [](auto self, board at) -> lf::task<count> {
  if (at.is_full()) co_return count{1, 1};
  std::array<count, queens::max_size> found;
  std::size_t children = 0;
  int called = -1;  // the last free column
  for (int column = 0; column < at.size; ++column) {
    if (!is_free(at, column)) continue;
    if (called >= 0) co_await lf::fork(&found[children++], self)(place(at, called));
    called = column;
  }
  count total{0, 1};
  if (called < 0) co_return total;
  co_await lf::call(&found[children++], self)(place(at, called));
  co_await lf::join;
  for (std::size_t index = 0; index < children; ++index) total += found[index];
  co_return total;
};

}  // namespace

kernel_run run_libfork(const kernel_input& input, stopwatch& watch) {
  auto const total = result_watched<count>(watch, solve_task, empty_board(input.size));
  return {total.solutions, total.placements, {}};
}

}  // namespace bench::queens_array
