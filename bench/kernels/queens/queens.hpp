// n-queens: how many ways there are to place n queens on an n × n board so that none attacks
// another. units: placements tried, that is, partial boards without an attack, the empty one
// included; each is a thread in the ult variant. With forks, the last placement of a row is a plain
// call.
#pragma once

#include "harness/kernel.hpp"

namespace bench::queens {

inline constexpr std::uint64_t max_size = 18;

struct board {
  std::uint32_t columns;  // bit set: the column, or diagonal, is attacked in this row
  std::uint32_t left;
  std::uint32_t right;
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

constexpr std::uint32_t full_row(std::uint64_t size) { return (1U << size) - 1; }

constexpr std::uint32_t free_squares(const board& board, std::uint32_t full) {
  return full & ~(board.columns | board.left | board.right);
}

constexpr board place(const board& board, std::uint32_t square) {
  return {board.columns | square, (board.left | square) << 1, (board.right | square) >> 1};
}

kernel_run run_sequential(const kernel_input& input, stopwatch& watch);
kernel_run run_ult(const kernel_input& input, stopwatch& watch);
kernel_run run_fork(const kernel_input& input, stopwatch& watch);

std::uint64_t expected(const kernel_input& input);

extern const kernel queens;

}  // namespace bench::queens
