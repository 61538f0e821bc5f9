#include "harness/child_group.hpp"
#include "kernels/pentomino/pentomino.hpp"

namespace bench::pentomino {

namespace {

struct placement {
  const puzzle* of;
  board at;
  count found;
};

void run_placement(void* argument);

count solve(const puzzle& of, const board& at) {
  if (puzzle::is_solved(at)) return {1, 1};
  count total{0, 1};
  position_set fitting = of.find_fitting(at);
  if (fitting == 0) return total;
  auto const children = static_cast<std::size_t>(std::popcount(fitting));
  child_group<placement, 8> group(children);
  for (std::size_t index = 0; index < children; ++index, fitting &= fitting - 1)
    group[index] = {&of, of.lay_first(at, fitting), {}};
  group.run(run_placement);
  for (std::size_t index = 0; index < children; ++index) total += group[index].found;
  return total;
}

void run_placement(void* argument) {
  auto* const self = static_cast<placement*>(argument);
  self->found = solve(*self->of, self->at);
}

}  // namespace

kernel_run run_ult(const kernel_input& input, stopwatch& watch) { return run(input, watch, solve); }

}  // namespace bench::pentomino
