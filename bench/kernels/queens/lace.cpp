#include <lace.h>

#include "kernels/lace.hpp"
#include "kernels/queens/queens.hpp"

namespace bench::queens {

// What a task gives back lies where its arguments lay: without initialisers.
struct found {
  std::uint64_t solutions;
  std::uint64_t placements;
};

TASK_2(found, solve, board, at, std::uint32_t, full) {
  if (at.columns == full) return {1, 1};
  std::uint32_t free = free_squares(at, full);
  found total{0, 1};
  if (free == 0) return total;
  std::uint32_t const first = free & -free;
  int spawned = 0;
  for (free &= free - 1; free != 0; free &= free - 1, ++spawned) SPAWN(solve, place(at, free & -free), full);
  found const called = CALL(solve, place(at, first), full);
  total = {total.solutions + called.solutions, total.placements + called.placements};
  for (; spawned > 0; --spawned) {
    found const other = SYNC(solve);
    total = {total.solutions + other.solutions, total.placements + other.placements};
  }
  return total;
}

kernel_run run_lace(const kernel_input& input, stopwatch& watch) {
  watch.start();
  found const total = RUN(solve, board{0, 0, 0}, full_row(input.size));
  watch.stop();
  return {total.solutions, total.placements, {}};
}

}  // namespace bench::queens
