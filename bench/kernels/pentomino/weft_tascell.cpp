#include "harness/weft_tascell.hpp"
#include "kernels/pentomino/pentomino.hpp"

// pentomino.tc
extern "C" pentomino_count bench_tascell_pentomino(weft_tascell_worker*, weft_tascell_record*, const pentomino_tables*,
                                                   bench::pentomino::square_set free, bench::pentomino::position_set unused);

namespace bench::pentomino {

namespace {

count solve(tascell::context c, const puzzle& of, const board& at);

// The first of the fitting ones, while the others may be given away.
count solve_all(tascell::context c, const puzzle& of, const board& at, position_set fitting) {
  position_set const others = fitting & (fitting - 1);
  if (others == 0) return solve(c, of, of.lay_first(at, fitting));
  count first;
  count rest;
  tascell::do_two(
      c, [&](tascell::context inner) { first = solve(inner, of, of.lay_first(at, fitting)); },
      [&](tascell::context inner) { rest = solve_all(inner, of, at, others); });
  return first + rest;
}

count solve(tascell::context c, const puzzle& of, const board& at) {
  if (puzzle::is_solved(at)) return {1, 1};
  position_set const fitting = of.find_fitting(at);
  return fitting == 0 ? count{0, 1} : count{0, 1} + solve_all(c, of, at, fitting);
}

}  // namespace

kernel_run run_tascell(const kernel_input& input, stopwatch& watch) {
  puzzle const of(input.size);
  pentomino_tables const tables = of.tables();
  board const at = of.empty_board();
  pentomino_count const total = run_compiled(watch, bench_tascell_pentomino, &tables, at.free, at.unused);
  return {total.solutions, total.placements, {}};
}

kernel_run run_tascell_library(const kernel_input& input, stopwatch& watch) {
  puzzle const of(input.size);
  count const total = bench::run_tascell(watch, [&](tascell::context c) { return solve(c, of, of.empty_board()); });
  return {total.solutions, total.placements, {}};
}

}  // namespace bench::pentomino
