#include <weft/fork.hpp>

#include "kernels/queens_board/queens_board.hpp"

namespace bench::queens_board {

namespace {

count solve(const position& at) noexcept;

// The placements in the next row from the i-th column on. A thief may take the first one, so it has
// a board of its own.
count solve_from(const position& parent, int i) noexcept {
  while (i < parent.size && !parent.is_free(i)) ++i;
  if (i == parent.size) return {};
  position const child = parent.place(i);
  auto first = weft::fork([at = &child] { return solve(*at); });
  count const others = solve_from(parent, i + 1);
  return first.join() + others;
}

count solve(const position& at) noexcept { return at.is_full() ? count{1, 1} : count{0, 1} + solve_from(at, at.row); }

}  // namespace

kernel_run run_fork(const kernel_input& input, stopwatch& watch) {
  watch.start();
  count const total = solve(empty_board(input));
  watch.stop();
  return {total.solutions, total.placements, {}};
}

}  // namespace bench::queens_board
