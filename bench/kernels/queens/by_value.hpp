// n-queens over harness/by_value.hpp: the first placement of a row is one part, the others are the
// other.
#pragma once

#include "harness/by_value.hpp"
#include "kernels/queens/queens.hpp"

namespace bench::queens {

struct free_row {
  board at;
  std::uint32_t free;
  std::uint32_t full;

  [[nodiscard]] bool is_one() const { return (free & (free - 1)) == 0; }
  free_row take_others() {
    free_row others = *this;
    others.free &= free - 1;
    free &= -free;
    return others;
  }
};

template <class Way>
count solve_board_by_value(const board& at, std::uint32_t full) noexcept;

template <class Way>
count solve_row_by_value(free_row of) noexcept {
  if (of.is_one()) return solve_board_by_value<Way>(place(of.at, of.free), of.full);
  free_row const others = of.take_others();
  return Way::sum([of] { return solve_board_by_value<Way>(place(of.at, of.free), of.full); },
                  [others] { return solve_row_by_value<Way>(others); });
}

template <class Way>
count solve_board_by_value(const board& at, std::uint32_t full) noexcept {
  if (at.columns == full) return {1, 1};
  count const own{0, 1};
  std::uint32_t const free = free_squares(at, full);
  return free == 0 ? own : own + solve_row_by_value<Way>({at, free, full});
}

template <class Way>
kernel_run run_by_value(const kernel_input& input, stopwatch& watch) {
  watch.start();
  count const total = solve_board_by_value<Way>({0, 0, 0}, full_row(input.size));
  watch.stop();
  return {total.solutions, total.placements, {}};
}

template <class Way>
constexpr by_value_kernel by_value{&queens, nullptr, run_by_value<Way>};

}  // namespace bench::queens
