#include "kernels/queens_board/queens_board.hpp"

namespace bench::queens_board {

namespace {

count solve(board& at, int size, int row) {
  if (row == size) return {1, 1};
  count total{0, 1};
  for (int i = row; i < size; ++i) {
    if (queens_board_is_free(&at, size, row, i) == 0) continue;
    queens_board_place(&at, size, row, i);
    total += solve(at, size, row + 1);
    queens_board_displace(&at, size, row, i);
  }
  return total;
}

}  // namespace

kernel_run run_sequential(const kernel_input& input, stopwatch& watch) {
  position start = empty_board(input);
  watch.start();
  count const total = solve(start.at, start.size, start.row);
  watch.stop();
  return {total.solutions, total.placements, {}};
}

}  // namespace bench::queens_board
