#include "kernels/yield/yield.hpp"

namespace bench::yield {

namespace {

std::uint64_t expected(const kernel_input& input) { return input.size; }
std::uint64_t expected_of_pairs(const kernel_input& input) { return 2 * input.size; }

}  // namespace

const kernel any = {
    .name = "yield",
    .title = "two threads a worker that yield in turn",
    .size_word = "yields",
    .unit = "yield",
    .default_size = 4'000'000,
    .quick_size = 2'000,
    .max_size = 100'000'000'000,
    .expected = expected,
};

const kernel to = {
    .name = "yield-to",
    .title = "two threads a worker that yield to each other by name",
    .size_word = "round trips",
    .unit = "yield",
    .default_size = 2'000'000,
    .quick_size = 1'000,
    .max_size = 100'000'000'000,
    .expected = expected_of_pairs,
};

}  // namespace bench::yield
