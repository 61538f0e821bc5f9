#include "harness/child_group.hpp"
#include "kernels/queens_array/queens_array.hpp"

namespace bench::queens_array {

namespace {

struct placement {
  board at;
  count found;
};

void run_placement(void* argument);

count solve(const board& board) {
  if (board.is_full()) return {1, 1};
  std::array<std::uint8_t, queens::max_size> free;
  std::size_t children = 0;
  for (int column = 0; column < board.size; ++column) {
    if (is_free(board, column)) free[children++] = static_cast<std::uint8_t>(column);
  }
  count total{0, 1};
  if (children == 0) return total;
  child_group<placement, 8> group(children);
  for (std::size_t index = 0; index < children; ++index) group[index] = {place(board, free[index]), {}};
  group.run(run_placement);
  for (std::size_t index = 0; index < children; ++index) total = total + group[index].found;
  return total;
}

void run_placement(void* argument) {
  auto* const self = static_cast<placement*>(argument);
  self->found = solve(self->at);
}

}  // namespace

kernel_run run_ult(const kernel_input& input, stopwatch& watch) {
  watch.start();
  count const total = solve(empty_board(input.size));
  watch.stop();
  return {total.solutions, total.placements, {}};
}

}  // namespace bench::queens_array
