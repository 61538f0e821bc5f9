#include <bit>

#include "kernels/libfork.hpp"
#include "kernels/queens/queens.hpp"

namespace bench::queens {

namespace {

constexpr auto solve_task = [](auto self, board at, std::uint32_t full) -> lf::task<count> {
  if (at.columns == full) co_return count{1, 1};
  std::uint32_t free = free_squares(at, full);
  count total{0, 1};
  if (free == 0) co_return total;
  auto [found] = co_await lf::co_new<count>(static_cast<std::size_t>(std::popcount(free)));
  count* next = found.data();
  for (; (free & (free - 1)) != 0; free &= free - 1) co_await lf::fork(next++, self)(place(at, free & -free), full);
  co_await lf::call(next, self)(place(at, free), full);
  co_await lf::join;
  for (const count& each : found) total += each;
  co_return total;
};

}  // namespace

kernel_run run_libfork(const kernel_input& input, stopwatch& watch) {
  auto const total = result_watched<count>(watch, solve_task, board{0, 0, 0}, full_row(input.size));
  return {total.solutions, total.placements, {}};
}

}  // namespace bench::queens
