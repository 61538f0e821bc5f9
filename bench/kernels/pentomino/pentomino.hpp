// The pentomino puzzle: in how many ways the twelve pentominoes fill a rectangle of 60 squares,
// rotations and reflections of the whole not counted. One of the programs of Tascell's authors:
// Hiraishi, Yasugi, Umatani, Yuasa (2009), doi:10.1145/1504176.1504187. The first free square,
// column by column, is filled with each piece that fits, in each of its positions. That rectangles
// are counted once is by a piece without a symmetry of its own, which lies in two of its eight
// positions alone. units: placements tried, that is, partial boards, the empty one included; each
// is a thread in the ult variant. With forks, the last placement on a square is a plain call.
#pragma once

#include <array>
#include <bit>
#include <cstddef>

#include "harness/kernel.hpp"
#include "kernels/pentomino/tables.h"

namespace bench::pentomino {

inline constexpr unsigned squares = 60;
inline constexpr unsigned most_rows = 6;

// Sets of squares, by column and row, and of positions, which are pieces turned in some way.
using square_set = std::uint64_t;
using position_set = std::uint64_t;

struct board {
  square_set free;
  position_set unused;  // the positions of the pieces that are not on the board yet
};

struct count {
  std::uint64_t solutions = 0;
  std::uint64_t placements = 0;

  constexpr count& operator+=(const count& other) {
    solutions += other.solutions;
    placements += other.placements;
    return *this;
  }
  friend constexpr count operator+(count one, const count& other) { return one += other; }
};

class puzzle {
 public:
  explicit puzzle(std::uint64_t rows);  // a divisor of 60

  [[nodiscard]] board empty_board() const { return {(square_set{1} << squares) - 1, all_}; }
  [[nodiscard]] static bool is_solved(const board& at) { return at.free == 0; }

  // Those that fit on the first free square of an unsolved board.
  [[nodiscard]] position_set find_fitting(const board& at) const {
    auto const first = static_cast<std::size_t>(std::countr_zero(at.free));
    square_set const covered = ~(at.free >> first);
    position_set fitting = 0;
    for (position_set left = at.unused & inside_[first]; left != 0; left &= left - 1) {
      auto const position = static_cast<std::size_t>(std::countr_zero(left));
      fitting |= position_set{(shapes_[position] & covered) == 0} << position;
    }
    return fitting;
  }

  // The first of the fitting ones is laid there.
  [[nodiscard]] board lay_first(const board& at, position_set fitting) const {
    auto const position = static_cast<std::size_t>(std::countr_zero(fitting));
    return {at.free & ~(shapes_[position] << std::countr_zero(at.free)), at.unused & ~of_same_piece_[position]};
  }

  // For other languages: parts of this.
  [[nodiscard]] pentomino_tables tables() const { return {shapes_.data(), of_same_piece_.data(), inside_.data()}; }

 private:
  friend class puzzle_maker;

  position_set all_ = 0;
  std::array<square_set, 64> shapes_{};  // by position: the squares from its first one on, which is bit 0
  std::array<position_set, 64> of_same_piece_{};
  std::array<position_set, squares> inside_{};  // by square: what can begin there without crossing the upper or lower edge
};

kernel_run run_sequential(const kernel_input& input, stopwatch& watch);
kernel_run run_ult(const kernel_input& input, stopwatch& watch);
kernel_run run_fork(const kernel_input& input, stopwatch& watch);
kernel_run run_tascell(const kernel_input& input, stopwatch& watch);
kernel_run run_tascell_library(const kernel_input& input, stopwatch& watch);

// solve(puzzle, board): the count below this board.
template <class Solve>
kernel_run run(const kernel_input& input, stopwatch& watch, Solve solve) {
  puzzle const of(input.size);
  watch.start();
  count const total = solve(of, of.empty_board());
  watch.stop();
  return {total.solutions, total.placements, {}};
}

extern const kernel pentomino;

}  // namespace bench::pentomino
