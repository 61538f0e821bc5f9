#include "harness/weft_tascell.hpp"
#include "kernels/queens_board/queens_board.hpp"

// queens_board.tc
extern "C" queens_count bench_tascell_queens_board(weft_tascell_worker*, weft_tascell_record*, queens_board*, int size, int row);

namespace bench::queens_board {

namespace {

count solve(tascell::context c, board& at, int size, int row);

// The placements of the columns from the first up to the last one.
struct columns {
  board at;
  int size;
  int row;
  std::int64_t first;
  std::int64_t last;
  count found;

  void run(tascell::context c);
};

count solve_columns(tascell::context c, board& at, int size, int row, std::int64_t first, std::int64_t last) {
  count total;
  tascell::do_many(
      c, first, last,
      [&](std::int64_t i, tascell::context inner) {
        auto const column = static_cast<int>(i);
        if (queens_board_is_free(&at, size, row, column) == 0) return;
        board* const one = &at;
        tascell::wind(
            inner, [=] { queens_board_place(one, size, row, column); },
            [&](tascell::context below) { total += solve(below, at, size, row + 1); },
            [=] { queens_board_displace(one, size, row, column); });
      },
      [&](std::int64_t from, std::int64_t to) { return columns{at, size, row, from, to, {}}; },
      [&](const columns& given) { total += given.found; });
  return total;
}

void columns::run(tascell::context c) { found = solve_columns(c, at, size, row, first, last); }

count solve(tascell::context c, board& at, int size, int row) {
  return row == size ? count{1, 1} : count{0, 1} + solve_columns(c, at, size, row, row, size);
}

}  // namespace

kernel_run run_tascell(const kernel_input& input, stopwatch& watch) {
  position only = empty_board(input);
  queens_count const total = run_compiled(watch, bench_tascell_queens_board, &only.at, only.size, only.row);
  return {static_cast<std::uint64_t>(total.solutions), static_cast<std::uint64_t>(total.placements), {}};
}

kernel_run run_tascell_library(const kernel_input& input, stopwatch& watch) {
  position only = empty_board(input);
  count const total = bench::run_tascell(watch, [&](tascell::context c) { return solve(c, only.at, only.size, only.row); });
  return {total.solutions, total.placements, {}};
}

}  // namespace bench::queens_board
