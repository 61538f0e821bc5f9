#include <lace.h>

#include "kernels/lace.hpp"
#include "kernels/queens_array/queens_array.hpp"

namespace bench::queens_array {

struct found {
  std::uint64_t solutions;
  std::uint64_t placements;
};

// column -1: the board itself is the one to go on with.
TASK_2(found, solve, const board*, parent, int, column) {
  board const at = column < 0 ? *parent : place(*parent, column);
  if (at.is_full()) return {1, 1};
  found total{0, 1};
  int spawned = 0;
  int called = -1;
  for (int next = 0; next < at.size; ++next) {
    if (!is_free(at, next)) continue;
    if (called >= 0) {
      SPAWN(solve, &at, next);
      ++spawned;
    } else {
      called = next;
    }
  }
  if (called < 0) return total;
  found const own = CALL(solve, &at, called);
  total = {total.solutions + own.solutions, total.placements + own.placements};
  for (; spawned > 0; --spawned) {
    found const other = SYNC(solve);
    total = {total.solutions + other.solutions, total.placements + other.placements};
  }
  return total;
}

kernel_run run_lace(const kernel_input& input, stopwatch& watch) {
  board const empty = empty_board(input.size);
  watch.start();
  found const total = RUN(solve, &empty, -1);
  watch.stop();
  return {total.solutions, total.placements, {}};
}

}  // namespace bench::queens_array
