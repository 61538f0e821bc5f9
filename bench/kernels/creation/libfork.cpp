#include "kernels/libfork.hpp"
#include "kernels/creation/creation.hpp"

namespace bench::creation {

namespace {

constexpr auto child_task = [](auto, child* one) -> lf::task<> {
  one->run();
  co_return;
};

constexpr auto flat_task = [](auto, std::uint64_t size) -> lf::task<std::uint64_t> {
  std::array<child, batch> children;
  std::uint64_t sum = 0;
  for (std::uint64_t made = 0; made < size;) {
    auto const count = static_cast<std::size_t>(std::min<std::uint64_t>(batch, size - made));
    for (std::size_t index = 0; index < count; ++index) children[index] = {++made, 0};
    for (std::size_t index = 0; index + 1 < count; ++index) co_await lf::fork(child_task)(&children[index]);
    co_await lf::call(child_task)(&children[count - 1]);
    co_await lf::join;
    for (std::size_t index = 0; index < count; ++index) sum += children[index].noted;
  }
  co_return sum;
};

constexpr auto chain_task = [](auto self, std::uint64_t length) -> lf::task<std::uint64_t> {
  if (length == 0) co_return 0;
  std::uint64_t below = 0;
  co_await lf::fork(&below, self)(length - 1);
  co_await lf::join;
  co_return below + 1;
};

constexpr auto nested_task = [](auto, std::uint64_t size) -> lf::task<std::uint64_t> {
  std::uint64_t made = 0;
  for (std::uint64_t left = size; left > 0; left -= std::min(chain, left)) {
    std::uint64_t of_chain = 0;
    co_await lf::call(&of_chain, chain_task)(std::min(chain, left));
    co_await lf::join;
    made += of_chain;
  }
  co_return made;
};

}  // namespace

kernel_run run_libfork_flat(const kernel_input& input, stopwatch& watch) {
  return {result_watched<std::uint64_t>(watch, flat_task, input.size), input.size, {}};
}

kernel_run run_libfork_nested(const kernel_input& input, stopwatch& watch) {
  return {result_watched<std::uint64_t>(watch, nested_task, input.size), input.size, {}};
}

}  // namespace bench::creation
