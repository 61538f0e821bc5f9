#include <bit>

#include "harness/fork_rest.hpp"
#include "kernels/queens/queens.hpp"

namespace bench::queens {

namespace {

void solve(const board& board, std::uint32_t full, count& total) noexcept;

// The placements on the free squares of a row.
struct row {
  board at;
  std::uint32_t free;
  std::uint32_t full;

  [[nodiscard]] bool is_one() const { return (free & (free - 1)) == 0; }
  void drop_first() { free &= free - 1; }
  row take_half() {
    row half = *this;
    for (int left = std::popcount(free) / 2; left > 0; --left) half.drop_first();
    free &= ~half.free;
    return half;
  }
  void add_first(count& total) const noexcept { solve(place(at, free & -free), full, total); }
};

void solve(const board& board, std::uint32_t full, count& total) noexcept {
  ++total.placements;
  if (board.columns == full) ++total.solutions;
  std::uint32_t const free = free_squares(board, full);
  if (free != 0) fork_children(row{board, free, full}, total);
}

}  // namespace

kernel_run run_fork(const kernel_input& input, stopwatch& watch) {
  count total;
  watch.start();
  solve({0, 0, 0}, full_row(input.size), total);
  watch.stop();
  return {total.solutions, total.placements, {}};
}

}  // namespace bench::queens
