// The pentomino puzzle over harness/by_value.hpp: the placements on a square are halved until one
// is left. The tables of the puzzle are each process's own.
#pragma once

#include <bit>

#include "harness/by_value.hpp"
#include "kernels/pentomino/pentomino.hpp"

namespace bench::pentomino {

struct fitting_on_board {
  board at;
  position_set fitting;

  [[nodiscard]] bool is_one() const { return (fitting & (fitting - 1)) == 0; }
  fitting_on_board take_later_half() {
    fitting_on_board half = *this;
    for (int left = std::popcount(fitting) / 2; left > 0; --left) half.fitting &= half.fitting - 1;
    fitting &= ~half.fitting;
    return half;
  }
};

template <class Way>
count solve_board_by_value(const board& at) noexcept;

template <class Way>
count solve_fitting_by_value(fitting_on_board of) noexcept {
  if (of.is_one()) return solve_board_by_value<Way>(own_input<puzzle>->lay_first(of.at, of.fitting));
  fitting_on_board const later = of.take_later_half();
  return Way::sum([of] { return solve_fitting_by_value<Way>(of); }, [later] { return solve_fitting_by_value<Way>(later); });
}

template <class Way>
count solve_board_by_value(const board& at) noexcept {
  if (puzzle::is_solved(at)) return {1, 1};
  count const own{0, 1};
  position_set const fitting = own_input<puzzle>->find_fitting(at);
  return fitting == 0 ? own : own + solve_fitting_by_value<Way>({at, fitting});
}

inline void make_puzzle(const kernel_input& input) { own_input<puzzle>.emplace(input.size); }

template <class Way>
kernel_run run_by_value(const kernel_input&, stopwatch& watch) {
  watch.start();
  count const total = solve_board_by_value<Way>(own_input<puzzle>->empty_board());
  watch.stop();
  return {total.solutions, total.placements, {}};
}

template <class Way>
constexpr by_value_kernel by_value{&pentomino, make_puzzle, run_by_value<Way>};

}  // namespace bench::pentomino
