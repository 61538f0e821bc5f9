#include "kernels/libfork.hpp"
#include "kernels/pentomino/pentomino.hpp"

namespace bench::pentomino {

namespace {

constexpr auto solve_task = [](auto self, const puzzle* of, board at) -> lf::task<count> {
  if (puzzle::is_solved(at)) co_return count{1, 1};
  count total{0, 1};
  position_set fitting = of->find_fitting(at);
  if (fitting == 0) co_return total;
  auto [found] = co_await lf::co_new<count>(static_cast<std::size_t>(std::popcount(fitting)));
  count* next = found.data();
  for (; (fitting & (fitting - 1)) != 0; fitting &= fitting - 1) co_await lf::fork(next++, self)(of, of->lay_first(at, fitting));
  co_await lf::call(next, self)(of, of->lay_first(at, fitting));
  co_await lf::join;
  for (const count& each : found) total += each;
  co_return total;
};

}  // namespace

kernel_run run_libfork(const kernel_input& input, stopwatch& watch) {
  puzzle const of(input.size);
  auto const total = result_watched<count>(watch, solve_task, &of, of.empty_board());
  return {total.solutions, total.placements, {}};
}

}  // namespace bench::pentomino
