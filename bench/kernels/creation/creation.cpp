#include "kernels/creation/creation.hpp"

namespace bench::creation {

namespace {

// Every child added its number: the sum from 1 to the size.
std::uint64_t expected_sum(const kernel_input& input) {
  return input.size % 2 == 0 ? input.size / 2 * (input.size + 1) : (input.size + 1) / 2 * input.size;
}

std::uint64_t expected_count(const kernel_input& input) { return input.size; }

}  // namespace

const kernel flat = {
    .name = "create-flat",
    .title = "children of one parent, made and joined in batches of 256",
    .size_word = "children",
    .unit = "creation",
    .default_size = 1'000'000,
    .quick_size = 1'000,
    .max_size = 1'000'000'000,
    .expected = expected_sum,
};

const kernel nested = {
    .name = "create-nested",
    .title = "every child makes and joins the next, in chains of 64",
    .size_word = "children",
    .unit = "creation",
    .default_size = 1'000'000,
    .quick_size = 1'000,
    .max_size = 1'000'000'000,
    .expected = expected_count,
};

}  // namespace bench::creation
