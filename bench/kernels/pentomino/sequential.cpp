#include "kernels/pentomino/pentomino.hpp"

namespace bench::pentomino {

namespace {

void solve(const puzzle& of, const board& at, count& total) {
  ++total.placements;
  if (puzzle::is_solved(at)) {
    ++total.solutions;
    return;
  }
  for (position_set fitting = of.find_fitting(at); fitting != 0; fitting &= fitting - 1)
    solve(of, of.lay_first(at, fitting), total);
}

}  // namespace

kernel_run run_sequential(const kernel_input& input, stopwatch& watch) {
  return run(input, watch, [](const puzzle& of, const board& at) {
    count total;
    solve(of, at, total);
    return total;
  });
}

}  // namespace bench::pentomino
