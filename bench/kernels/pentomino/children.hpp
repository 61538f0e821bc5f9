// The pentomino puzzle over harness/children.hpp: a child a placement.
#pragma once

#include "harness/children.hpp"
#include "kernels/pentomino/pentomino.hpp"

namespace bench::pentomino {

template <class Way>
count solve_by(const puzzle& of, const board& at);

template <class Way>
struct placement_by {
  const puzzle* of;
  board at;
  std::uint64_t solutions;
  std::uint64_t placements;

  [[nodiscard]] bool is_leaf() const { return puzzle::is_solved(at) || of->find_fitting(at) == 0; }
  void run() {
    count const found = solve_by<Way>(*of, at);
    solutions = found.solutions;
    placements = found.placements;
  }
};

template <class Way>
count solve_by(const puzzle& of, const board& at) {
  if (puzzle::is_solved(at)) return {1, 1};
  count total{0, 1};
  position_set fitting = of.find_fitting(at);
  if (fitting == 0) return total;
  auto const children = static_cast<std::size_t>(std::popcount(fitting));
  records<placement_by<Way>, 8> tried(children);
  for (std::size_t index = 0; index < children; ++index, fitting &= fitting - 1)
    tried[index] = {&of, of.lay_first(at, fitting), 0, 0};
  Way::run_all(tried.first(), children);
  for (std::size_t index = 0; index < children; ++index) total += {tried[index].solutions, tried[index].placements};
  return total;
}

template <class Way>
kernel_run run_by(const kernel_input& input, stopwatch& watch) {
  return run(input, watch, solve_by<Way>);
}

}  // namespace bench::pentomino
