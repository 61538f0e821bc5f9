#include <weft/fork.hpp>

#include "kernels/queens_array/queens_array.hpp"

namespace bench::queens_array {

namespace {

count solve(const board& board) noexcept;

// The placements in the next row from this column on.
count solve_from(const board& parent, int column) noexcept {
  while (column < parent.size && !is_free(parent, column)) ++column;
  if (column == parent.size) return {};
  auto first = weft::fork([child = place(parent, column)] { return solve(child); });
  count const others = solve_from(parent, column + 1);
  return first.join() + others;
}

count solve(const board& board) noexcept { return board.is_full() ? count{1, 1} : count{0, 1} + solve_from(board, 0); }

}  // namespace

kernel_run run_fork(const kernel_input& input, stopwatch& watch) {
  watch.start();
  count const total = solve(empty_board(input.size));
  watch.stop();
  return {total.solutions, total.placements, {}};
}

}  // namespace bench::queens_array
