#include <lace.h>

#include "kernels/lace.hpp"
#include "kernels/pentomino/pentomino.hpp"

namespace bench::pentomino {

// What a task gives back lies where its arguments lay: without initialisers.
struct found {
  std::uint64_t solutions;
  std::uint64_t placements;
};

TASK_2(found, solve, const puzzle*, of, board, at) {
  if (puzzle::is_solved(at)) return {1, 1};
  found total{0, 1};
  position_set const fitting = of->find_fitting(at);
  if (fitting == 0) return total;
  int spawned = 0;
  for (position_set others = fitting & (fitting - 1); others != 0; others &= others - 1, ++spawned)
    SPAWN(solve, of, of->lay_first(at, others));
  found const called = CALL(solve, of, of->lay_first(at, fitting));
  total = {total.solutions + called.solutions, total.placements + called.placements};
  for (; spawned > 0; --spawned) {
    found const other = SYNC(solve);
    total = {total.solutions + other.solutions, total.placements + other.placements};
  }
  return total;
}

kernel_run run_lace(const kernel_input& input, stopwatch& watch) {
  return run(input, watch, [](const puzzle& of, const board& at) {
    found const total = RUN(solve, &of, at);
    return count{total.solutions, total.placements};
  });
}

}  // namespace bench::pentomino
