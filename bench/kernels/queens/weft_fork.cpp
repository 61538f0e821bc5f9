#include <weft/fork.hpp>

#include "kernels/queens/queens.hpp"

namespace bench::queens {

namespace {

count solve(board board, std::uint32_t full) noexcept;

// The placements on the free squares of a row: all but the last are forks.
count solve_row(board board, std::uint32_t free, std::uint32_t full) noexcept {
  std::uint32_t const square = free & -free;
  std::uint32_t const others = free ^ square;
  if (others == 0) return solve(place(board, square), full);
  auto first = weft::fork([=] { return solve(place(board, square), full); });
  count const rest = solve_row(board, others, full);
  return first.join() + rest;
}

count solve(board board, std::uint32_t full) noexcept {
  if (board.columns == full) return {1, 1};
  std::uint32_t const free = free_squares(board, full);
  if (free == 0) return {0, 1};
  return count{0, 1} + solve_row(board, free, full);
}

}  // namespace

kernel_run run_fork(const kernel_input& input, stopwatch& watch) {
  watch.start();
  count const total = solve({0, 0, 0}, full_row(input.size));
  watch.stop();
  return {total.solutions, total.placements, {}};
}

}  // namespace bench::queens
