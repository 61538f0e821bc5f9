#include "kernels/pentomino/pentomino.hpp"

namespace bench::pentomino {

namespace {

// By rows. Haselgrove, Haselgrove (1960), A computer program for pentominoes, Eureka 23, has the
// 2339; the others are as well known. In one or two rows there is no place for most pieces.
constexpr std::array<std::uint64_t, most_rows + 1> known = {0, 0, 0, 2, 368, 1010, 2339};

std::uint64_t expected(const kernel_input& input) { return known[input.size]; }

}  // namespace

const kernel pentomino = {
    .name = "pentomino",
    .title = "pentomino puzzle in a rectangle of 60 squares; each placement a thread or fork",
    .size_word = "rows",
    .unit = "placement",
    .default_size = most_rows,
    .quick_size = 3,
    .max_size = most_rows,
    .expected = expected,
};

}  // namespace bench::pentomino
