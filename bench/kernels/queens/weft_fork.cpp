#include "harness/fork_rest.hpp"
#include "kernels/queens/queens.hpp"

namespace bench::queens {

namespace {

count solve(const board& board, std::uint32_t full) noexcept;

// The placements on the free squares of a row.
struct row {
  board at;
  std::uint32_t free;
  std::uint32_t full;

  [[nodiscard]] std::uint32_t others() const { return free & (free - 1); }
  [[nodiscard]] bool is_one() const { return others() == 0; }
  [[nodiscard]] row without_first() const { return {at, others(), full}; }
  [[nodiscard]] count run_first() const noexcept { return solve(place(at, free & -free), full); }
};

count solve(const board& board, std::uint32_t full) noexcept {
  if (board.columns == full) return {1, 1};
  std::uint32_t const free = free_squares(board, full);
  return free == 0 ? count{0, 1} : count{0, 1} + fork_children(row{board, free, full});
}

}  // namespace

kernel_run run_fork(const kernel_input& input, stopwatch& watch) {
  watch.start();
  count const total = solve({0, 0, 0}, full_row(input.size));
  watch.stop();
  return {total.solutions, total.placements, {}};
}

}  // namespace bench::queens
