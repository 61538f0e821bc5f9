// n-queens with copied boards over harness/by_value.hpp: a placement, and all later ones of its
// row.
#pragma once

#include "harness/by_value.hpp"
#include "kernels/queens_array/queens_array.hpp"

namespace bench::queens_array {

template <class Way>
count solve_board_by_value(board of) noexcept;

// The placements in the next row from this column on.
template <class Way>
count solve_row_by_value(board parent, int column) noexcept {
  while (column < parent.size && !is_free(parent, column)) ++column;
  if (column == parent.size) return {};
  board const child = place(parent, column);
  return Way::sum([child] { return solve_board_by_value<Way>(child); },
                  [parent, column] { return solve_row_by_value<Way>(parent, column + 1); });
}

template <class Way>
count solve_board_by_value(board of) noexcept {
  return of.is_full() ? count{1, 1} : count{0, 1} + solve_row_by_value<Way>(of, 0);
}

template <class Way>
kernel_run run_by_value(const kernel_input& input, stopwatch& watch) {
  watch.start();
  count const total = solve_board_by_value<Way>(empty_board(input.size));
  watch.stop();
  return {total.solutions, total.placements, {}};
}

template <class Way>
constexpr by_value_kernel by_value{&queens_array, nullptr, run_by_value<Way>};

}  // namespace bench::queens_array
