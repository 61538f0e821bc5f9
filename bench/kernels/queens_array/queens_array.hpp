// n-queens as task runtimes are usually measured with it (Cilk, BOTS): a board is an array, which
// each placement copies, and a square is checked against every queen that stands already. A
// placement costs a multiple of what it costs in `queens`, where a board is three words. units: as
// in queens; each is a thread or a fork in the parallel variants.
#pragma once

#include <array>

#include "harness/kernel.hpp"
#include "kernels/queens/queens.hpp"

namespace bench::queens_array {

using queens::count;

struct board {
  std::array<std::uint8_t, 22> columns;  // of the queens in the first rows
  std::uint8_t rows;                     // that have a queen
  std::uint8_t size;

  [[nodiscard]] bool is_full() const { return rows == size; }
};
static_assert(queens::max_size <= sizeof(board::columns));

inline board empty_board(std::uint64_t size) { return {{}, 0, static_cast<std::uint8_t>(size)}; }

// In the next row.
inline bool is_free(const board& board, int column) {
  for (int row = 0; row < board.rows; ++row) {
    int const aside = board.columns[static_cast<std::size_t>(row)] - column;
    int const above = board.rows - row;
    if (aside == 0 || aside == above || aside == -above) return false;
  }
  return true;
}

inline board place(board board, int column) {
  board.columns[board.rows++] = static_cast<std::uint8_t>(column);
  return board;
}

kernel_run run_sequential(const kernel_input& input, stopwatch& watch);
kernel_run run_ult(const kernel_input& input, stopwatch& watch);
kernel_run run_fork(const kernel_input& input, stopwatch& watch);

extern const kernel queens_array;

}  // namespace bench::queens_array
