#include "kernels/matmul/matmul.hpp"

#include "harness/together.hpp"

namespace bench::matmul {

namespace {

std::uint64_t pieces(std::size_t extent) { return extent <= block_extent ? 1 : pieces(extent / 2) + pieces(extent - extent / 2); }

std::uint64_t blocks(std::size_t size) { return pieces(size) * pieces(size) * pieces(size); }

constexpr variant variants[] = {{"sequential", run<multiply_add<one_by_one>, blocks>},
                                {"ult", run<multiply_add<as_threads>, blocks>},
                                {"fork", run<multiply_add<as_forks>, blocks>}};

}  // namespace

const kernel matmul = {
    .name = "matmul",
    .title = "matrix product by halving; each half a thread or fork",
    .size_word = "rows",
    .unit = "block",
    .default_size = 512,
    .quick_size = 100,
    .max_size = std::uint64_t{1} << 15,
    .variants = variants,
    .expected = expected,
    .is_digest = true,
};

}  // namespace bench::matmul
