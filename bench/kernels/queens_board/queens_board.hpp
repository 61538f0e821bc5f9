// n-queens over one board with undo: a queen is placed, the rows below are searched, and it is
// removed. The board is some 150 bytes, and a square is looked up in three of them. Plain calls and
// Tascell work in one board throughout; threads, forks and tasks of others need one each, which
// they copy. Tascell's authors compare so: Hiraishi, Yasugi, Umatani, Yuasa (2009),
// doi:10.1145/1504176.1504187. units: as in queens; each is a thread or a fork in the parallel
// variants.
#pragma once

#include "harness/children.hpp"
#include "harness/kernel.hpp"
#include "kernels/queens/queens.hpp"
#include "kernels/queens_board/board.h"

namespace bench::queens_board {

using board = ::queens_board;
using queens::count;
static_assert(queens::max_size <= QUEENS_BOARD_MOST);

// What a search below some placements needs.
struct position {
  board at;
  int size;
  int row;

  [[nodiscard]] bool is_full() const { return row == size; }
  [[nodiscard]] bool is_free(int i) const { return queens_board_is_free(&at, size, row, i) != 0; }
  [[nodiscard]] position place(int i) const {
    position copied{at, size, row + 1};
    queens_board_place(&copied.at, size, row, i);
    return copied;
  }
};

inline position empty_board(const kernel_input& input) {
  int const size = static_cast<int>(input.size);
  return {queens_board_empty(size), size, 0};
}

// A child a placement, with a board of its own.
template <class Way>
count solve_by(const position& at);

template <class Way>
struct placement_by {
  position at;
  std::uint64_t solutions;
  std::uint64_t placements;

  [[nodiscard]] bool is_leaf() const { return at.is_full(); }
  void run() {
    count const found = solve_by<Way>(at);
    solutions = found.solutions;
    placements = found.placements;
  }
};

template <class Way>
count solve_by(const position& at) {
  if (at.is_full()) return {1, 1};
  records<placement_by<Way>, 4> tried(static_cast<std::size_t>(at.size));
  std::size_t children = 0;
  for (int i = at.row; i < at.size; ++i) {
    if (at.is_free(i)) tried[children++] = {at.place(i), 0, 0};
  }
  count total{0, 1};
  if (children > 0) Way::run_all(tried.first(), children);
  for (std::size_t index = 0; index < children; ++index) total += {tried[index].solutions, tried[index].placements};
  return total;
}

template <class Way>
kernel_run run_by(const kernel_input& input, stopwatch& watch) {
  watch.start();
  count const total = solve_by<Way>(empty_board(input));
  watch.stop();
  return {total.solutions, total.placements, {}};
}

kernel_run run_sequential(const kernel_input& input, stopwatch& watch);
kernel_run run_fork(const kernel_input& input, stopwatch& watch);
kernel_run run_tascell(const kernel_input& input, stopwatch& watch);
kernel_run run_tascell_library(const kernel_input& input, stopwatch& watch);

extern const kernel queens_board;

}  // namespace bench::queens_board
