#include "kernels/thread_ops/thread_ops.hpp"

namespace bench::thread_ops {

namespace {

// Every thread counts its yields, and its end.
template <std::uint64_t Yields>
std::uint64_t expected(const kernel_input& input) {
  return input.size * threads_at_once * (Yields + 1);
}

}  // namespace

const kernel without_yields = {
    .name = "thread-ops",
    .title = "16 threads that do nothing, created and joined over and over",
    .size_word = "rounds",
    .unit = "thread",
    .default_size = 2000,
    .quick_size = 50,
    .max_size = 1'000'000'000,
    .expected = expected<no_yields>,
    .is_of_experiment = true,
};

const kernel with_yields = {
    .name = "thread-ops-yields",
    .title = "16 threads that yield 4000 times each, created and joined over and over",
    .size_word = "rounds",
    .unit = "yield",
    .default_size = 5,
    .quick_size = 1,
    .max_size = 1'000'000,
    .expected = expected<yields>,
    .is_of_experiment = true,
};

}  // namespace bench::thread_ops
