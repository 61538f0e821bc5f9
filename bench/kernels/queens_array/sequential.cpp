#include "kernels/queens_array/queens_array.hpp"

namespace bench::queens_array {

namespace {

void solve(const board& board, count& total) {
  ++total.placements;
  if (board.is_full()) ++total.solutions;
  if (board.is_full()) return;
  for (int column = 0; column < board.size; ++column) {
    if (is_free(board, column)) solve(place(board, column), total);
  }
}

}  // namespace

kernel_run run_sequential(const kernel_input& input, stopwatch& watch) {
  count total;
  watch.start();
  solve(empty_board(input.size), total);
  watch.stop();
  return {total.solutions, total.placements, {}};
}

}  // namespace bench::queens_array
