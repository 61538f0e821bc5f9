// n-queens over harness/children.hpp: a child a placement.
#pragma once

#include <bit>

#include "harness/children.hpp"
#include "kernels/queens/queens.hpp"

namespace bench::queens {

template <class Way>
count solve_by(const board& board, std::uint32_t full);

template <class Way>
struct placement_by {
  board at;
  std::uint32_t full;
  std::uint64_t solutions;
  std::uint64_t placements;

  [[nodiscard]] bool is_leaf() const { return free_squares(at, full) == 0; }  // so has a full board none
  void run() {
    count const found = solve_by<Way>(at, full);
    solutions = found.solutions;
    placements = found.placements;
  }
};

template <class Way>
count solve_by(const board& board, std::uint32_t full) {
  if (board.columns == full) return {1, 1};
  std::uint32_t free = free_squares(board, full);
  count total{0, 1};
  if (free == 0) return total;
  auto const children = static_cast<std::size_t>(std::popcount(free));
  records<placement_by<Way>, 8> tried(children);
  for (std::size_t index = 0; index < children; ++index, free &= free - 1)
    tried[index] = {place(board, free & -free), full, 0, 0};
  Way::run_all(tried.first(), children);
  for (std::size_t index = 0; index < children; ++index) total += {tried[index].solutions, tried[index].placements};
  return total;
}

template <class Way>
kernel_run run_by(const kernel_input& input, stopwatch& watch) {
  watch.start();
  count const total = solve_by<Way>({0, 0, 0}, full_row(input.size));
  watch.stop();
  return {total.solutions, total.placements, {}};
}

}  // namespace bench::queens
