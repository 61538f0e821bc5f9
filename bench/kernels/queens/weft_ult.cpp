#include <bit>

#include "harness/child_group.hpp"
#include "kernels/queens/queens.hpp"

namespace bench::queens {

namespace {

struct placement {
  board at;
  std::uint32_t full;
  count found;
};

void run_placement(void* argument);

count solve(const board& board, std::uint32_t full) {
  if (board.columns == full) return {1, 1};
  std::uint32_t free = free_squares(board, full);
  count total{0, 1};
  if (free == 0) return total;
  child_group<placement, 8> group(static_cast<std::size_t>(std::popcount(free)));
  std::size_t made = 0;
  for (; free != 0; free &= free - 1) group[made++] = {place(board, free & -free), full, {}};
  group.run(run_placement);
  for (std::size_t index = 0; index < made; ++index) {
    total.solutions += group[index].found.solutions;
    total.placements += group[index].found.placements;
  }
  return total;
}

void run_placement(void* argument) {
  auto* const self = static_cast<placement*>(argument);
  self->found = solve(self->at, self->full);
}

}  // namespace

kernel_run run_ult(const kernel_input& input, stopwatch& watch) {
  watch.start();
  count const total = solve({0, 0, 0}, full_row(input.size));
  watch.stop();
  return {total.solutions, total.placements, {}};
}

}  // namespace bench::queens
