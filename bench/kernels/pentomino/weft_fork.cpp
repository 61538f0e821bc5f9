#include "harness/fork_rest.hpp"
#include "kernels/pentomino/pentomino.hpp"

namespace bench::pentomino {

namespace {

void solve(const puzzle& of, const board& at, count& total) noexcept;

// The placements on the first free square.
struct choices {
  const puzzle* of;
  board at;
  position_set fitting;

  [[nodiscard]] bool is_one() const { return (fitting & (fitting - 1)) == 0; }
  void drop_first() { fitting &= fitting - 1; }
  choices take_half() {
    choices half = *this;
    for (int left = std::popcount(fitting) / 2; left > 0; --left) half.drop_first();
    fitting &= ~half.fitting;
    return half;
  }
  void add_first(count& total) const noexcept { solve(*of, of->lay_first(at, fitting), total); }
};

void solve(const puzzle& of, const board& at, count& total) noexcept {
  ++total.placements;
  if (puzzle::is_solved(at)) {
    ++total.solutions;
    return;
  }
  position_set const fitting = of.find_fitting(at);
  if (fitting != 0) fork_children(choices{&of, at, fitting}, total);
}

}  // namespace

kernel_run run_fork(const kernel_input& input, stopwatch& watch) {
  return run(input, watch, [](const puzzle& of, const board& at) {
    count total;
    solve(of, at, total);
    return total;
  });
}

}  // namespace bench::pentomino
