// n-queens with copied boards over harness/children.hpp: a child a placement.
#pragma once

#include "harness/children.hpp"
#include "kernels/queens_array/queens_array.hpp"

namespace bench::queens_array {

template <class Way>
count solve_by(const board& board);

template <class Way>
struct placement_by {
  const board* parent;
  int column;
  std::uint64_t solutions;
  std::uint64_t placements;

  [[nodiscard]] bool is_leaf() const { return parent->rows + 1 == parent->size; }
  void run() {
    count const found = solve_by<Way>(place(*parent, column));
    solutions = found.solutions;
    placements = found.placements;
  }
};

template <class Way>
count solve_by(const board& board) {
  if (board.is_full()) return {1, 1};
  records<placement_by<Way>, queens::max_size> tried(board.size);
  std::size_t children = 0;
  for (int column = 0; column < board.size; ++column) {
    if (is_free(board, column)) tried[children++] = {&board, column, 0, 0};
  }
  count total{0, 1};
  if (children > 0) Way::run_all(tried.first(), children);
  for (std::size_t index = 0; index < children; ++index) total += {tried[index].solutions, tried[index].placements};
  return total;
}

template <class Way>
kernel_run run_by(const kernel_input& input, stopwatch& watch) {
  watch.start();
  count const total = solve_by<Way>(empty_board(input.size));
  watch.stop();
  return {total.solutions, total.placements, {}};
}

}  // namespace bench::queens_array
