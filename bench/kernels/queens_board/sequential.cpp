#include "kernels/queens_board/queens_board.hpp"

namespace bench::queens_board {

namespace {

count solve(board& at) {
  if (is_full(at)) return {1, 1};
  count total{0, 1};
  for (int i = at.row; i < at.size; ++i) {
    if (!queens_board_is_free(&at, i)) continue;
    queens_board_place(&at, i);
    total += solve(at);
    queens_board_displace(&at, i);
  }
  return total;
}

}  // namespace

kernel_run run_sequential(const kernel_input& input, stopwatch& watch) {
  board only = empty_board(input);
  watch.start();
  count const total = solve(only);
  watch.stop();
  return {total.solutions, total.placements, {}};
}

}  // namespace bench::queens_board
