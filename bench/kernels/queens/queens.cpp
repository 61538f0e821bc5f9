#include "kernels/queens/queens.hpp"

#include <array>

namespace bench::queens {

namespace {

// OEIS A000170.
constexpr std::array<std::uint64_t, max_size + 1> known = {
    1, 1, 0, 0, 2, 10, 4, 40, 92, 352, 724, 2680, 14200, 73712, 365596, 2279184, 14772512, 95815104, 666090624};

}  // namespace

std::uint64_t expected(const kernel_input& input) { return known[input.size]; }

const kernel queens = {
    .name = "queens",
    .title = "n-queens; each placement a thread or fork",
    .size_word = "n",
    .unit = "placement",
    .default_size = 12,
    .quick_size = 8,
    .max_size = max_size,
    .expected = expected,
};

}  // namespace bench::queens
