// Matrix multiplication, divide and conquer without regard to caches' sizes: Frigo, Leiserson,
// Prokop, Ramachandran (1999), doi:10.1109/SFFCS.1999.814600. The longest of the three extents is
// halved until a block is left. Halves of the product are threads or forks in the parallel
// variants; halves of the inner extent add to the same product, one after the other. units:
// products of blocks.
#pragma once

#include <algorithm>

#include "harness/together.hpp"
#include "kernels/matmul/matrix.hpp"

namespace bench::matmul {

inline constexpr std::size_t block_extent = 32;

inline bool is_block(std::size_t rows, std::size_t columns, std::size_t inner) {
  return std::max({rows, columns, inner}) <= block_extent;
}

// product += left · right
template <class Together>
void multiply_add(const matrix& product, const matrix& left, const matrix& right) noexcept {
  std::size_t const rows = product.rows;
  std::size_t const columns = product.columns;
  std::size_t const inner = left.columns;
  std::size_t const longest = std::max({rows, columns, inner});
  std::size_t const half = longest / 2;
  if (longest <= block_extent) {
    multiply_add_block(product, left, right);
  } else if (longest == rows) {
    Together::run(leaf_when<Together>(
                      is_block(half, columns, inner),
                      [&] { multiply_add<Together>(product.part(0, 0, half, columns), left.part(0, 0, half, inner), right); }),
                  leaf_when<Together>(is_block(rows - half, columns, inner), [&] {
                    multiply_add<Together>(product.part(half, 0, rows - half, columns), left.part(half, 0, rows - half, inner),
                                           right);
                  }));
  } else if (longest == columns) {
    Together::run(
        leaf_when<Together>(is_block(rows, half, inner),
                            [&] { multiply_add<Together>(product.part(0, 0, rows, half), left, right.part(0, 0, inner, half)); }),
        leaf_when<Together>(is_block(rows, columns - half, inner), [&] {
          multiply_add<Together>(product.part(0, half, rows, columns - half), left, right.part(0, half, inner, columns - half));
        }));
  } else {
    multiply_add<Together>(product, left.part(0, 0, rows, half), right.part(0, 0, half, columns));
    multiply_add<Together>(product, left.part(0, half, rows, inner - half), right.part(half, 0, inner - half, columns));
  }
}

std::uint64_t blocks(std::size_t size);

extern const kernel matmul;

}  // namespace bench::matmul
