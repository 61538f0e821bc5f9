#include "kernels/libfork.hpp"

namespace bench::uts {

namespace {

constexpr auto count_task = [](auto self, const tree* of, node here) -> lf::task<std::uint64_t> {
  std::uint32_t const children = count_children(*of, here);
  if (children == 0) co_return 1;
  auto [below] = co_await lf::co_new<std::uint64_t>(children);
  for (std::uint32_t index = 0; index + 1 < children; ++index) co_await lf::fork(&below[index], self)(of, child(here, index));
  co_await lf::call(&below[children - 1], self)(of, child(here, children - 1));
  co_await lf::join;
  std::uint64_t nodes = 1;
  for (std::uint64_t const each : below) nodes += each;
  co_return nodes;
};

}  // namespace

// The root is made within the measured time, as everywhere.
kernel_run run_libfork(const tree& tree, stopwatch& watch) {
  constexpr auto count_all_task = [](auto, const uts::tree* of) -> lf::task<std::uint64_t> {
    std::uint64_t nodes = 0;
    co_await lf::call(&nodes, count_task)(of, root(*of));
    co_await lf::join;
    co_return nodes;
  };
  auto const nodes = result_watched<std::uint64_t>(watch, count_all_task, &tree);
  return {nodes, nodes, {}};
}

}  // namespace bench::uts
