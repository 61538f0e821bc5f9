#include "kernels/queens/queens.hpp"

namespace bench::queens {

namespace {

void solve(const board& board, std::uint32_t full, count& count) {
  ++count.placements;
  if (board.columns == full) {
    ++count.solutions;
    return;
  }
  for (std::uint32_t free = free_squares(board, full); free != 0; free &= free - 1)
    solve(place(board, free & -free), full, count);
}

}  // namespace

kernel_run run_sequential(const kernel_input& input, stopwatch& watch) {
  count total;
  watch.start();
  solve({0, 0, 0}, full_row(input.size), total);
  watch.stop();
  return {total.solutions, total.placements, {}};
}

}  // namespace bench::queens
