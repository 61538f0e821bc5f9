#include "harness/weft_tascell.hpp"
#include "kernels/queens_board/queens_board.hpp"

// queens_board.tc
extern "C" queens_count bench_tascell_queens_board(weft_tascell_worker*, weft_tascell_record*, queens_board*);

namespace bench::queens_board {

namespace {

count solve(tascell::context c, board& at);

// The placements of the columns from the first up to the last one.
struct columns {
  board at;
  std::int64_t first;
  std::int64_t last;
  count found;

  void run(tascell::context c);
};

count solve_columns(tascell::context c, board& at, std::int64_t first, std::int64_t last) {
  count total;
  tascell::do_many(
      c, first, last,
      [&](std::int64_t i, tascell::context inner) {
        auto const column = static_cast<int>(i);
        if (!queens_board_is_free(&at, column)) return;
        board* const one = &at;
        tascell::wind(
            inner, [=] { queens_board_place(one, column); }, [&](tascell::context below) { total += solve(below, at); },
            [=] { queens_board_displace(one, column); });
      },
      [&](std::int64_t from, std::int64_t to) { return columns{at, from, to, {}}; },
      [&](const columns& given) { total += given.found; });
  return total;
}

void columns::run(tascell::context c) { found = solve_columns(c, at, first, last); }

count solve(tascell::context c, board& at) {
  return is_full(at) ? count{1, 1} : count{0, 1} + solve_columns(c, at, at.row, at.size);
}

}  // namespace

kernel_run run_tascell(const kernel_input& input, stopwatch& watch) {
  board only = empty_board(input);
  queens_count const total = run_compiled(watch, bench_tascell_queens_board, &only);
  return {static_cast<std::uint64_t>(total.solutions), static_cast<std::uint64_t>(total.placements), {}};
}

kernel_run run_tascell_library(const kernel_input& input, stopwatch& watch) {
  board only = empty_board(input);
  count const total = bench::run_tascell(watch, [&](tascell::context c) { return solve(c, only); });
  return {total.solutions, total.placements, {}};
}

}  // namespace bench::queens_board
