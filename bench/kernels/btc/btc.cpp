#include "kernels/btc/btc.hpp"

namespace bench::btc {

namespace {

std::uint64_t expected(const kernel_input& input) { return std::uint64_t{1} << input.size; }

}  // namespace

const kernel btc = {
    .name = "btc",
    .title = "binary task creation: a full binary tree of empty tasks",
    .size_word = "depth",
    .unit = "task",
    .default_size = 20,
    .quick_size = 9,
    .max_size = 48,
    .expected = expected,
};

}  // namespace bench::btc
