#include "kernels/matmul/matmul.hpp"

namespace bench::matmul {

namespace {

std::uint64_t pieces(std::size_t extent) { return extent <= block_extent ? 1 : pieces(extent / 2) + pieces(extent - extent / 2); }

}  // namespace

std::uint64_t blocks(std::size_t size) { return pieces(size) * pieces(size) * pieces(size); }

const kernel matmul = {
    .name = "matmul",
    .title = "matrix product by halving; each half a thread or fork",
    .size_word = "rows",
    .unit = "block",
    .default_size = 512,
    .quick_size = 100,
    .max_size = std::uint64_t{1} << 15,
    .expected = expected,
    .is_digest = true,
};

}  // namespace bench::matmul
