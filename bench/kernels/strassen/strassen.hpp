// Matrix multiplication by seven products of half the extent: V. Strassen (1969),
// doi:10.1007/BF02165411. Each product is a thread or fork in the parallel variants, which makes
// the sums that it multiplies. Small and odd extents are multiplied in the plain way. units:
// products that are.
#pragma once

#include <array>

#include "kernels/matmul/matmul.hpp"

namespace bench::strassen {

using matmul::matrix;
using matmul::owned_matrix;

inline constexpr std::size_t cutoff = 64;

constexpr bool is_plain(std::size_t extent) { return extent <= cutoff || extent % 2 != 0; }

constexpr std::uint64_t blocks(std::size_t extent) { return is_plain(extent) ? 1 : 7 * blocks(extent / 2); }
static_assert(blocks(64) == 1 && blocks(66) == 7 && blocks(1024) == 2401);

owned_matrix add(const matrix& left, const matrix& right);
owned_matrix subtract(const matrix& left, const matrix& right);

struct quarters {
  explicit quarters(const matrix& whole);
  matrix upper_left, upper_right, lower_left, lower_right;
};

// The seven, numbered from 0, as Strassen has them.
using products = std::array<owned_matrix, 7>;
products make_products(std::size_t extent);
void assemble(const quarters& whole, const products& of);

// product = left · right. Square, all of the same extent.
template <class Together>
void multiply(const matrix& product, const matrix& left, const matrix& right) noexcept {
  if (is_plain(product.rows)) {
    clear(product);
    return matmul::multiply_add<Together>(product, left, right);
  }
  products const p = make_products(product.rows / 2);
  quarters const a(left);
  quarters const b(right);
  auto const set = [](const owned_matrix& target, const matrix& x, const matrix& y) { multiply<Together>(target.all(), x, y); };
  Together::run([&] { set(p[0], add(a.upper_left, a.lower_right).all(), add(b.upper_left, b.lower_right).all()); },
                [&] { set(p[1], add(a.lower_left, a.lower_right).all(), b.upper_left); },
                [&] { set(p[2], a.upper_left, subtract(b.upper_right, b.lower_right).all()); },
                [&] { set(p[3], a.lower_right, subtract(b.lower_left, b.upper_left).all()); },
                [&] { set(p[4], add(a.upper_left, a.upper_right).all(), b.lower_right); },
                [&] { set(p[5], subtract(a.lower_left, a.upper_left).all(), add(b.upper_left, b.upper_right).all()); },
                [&] { set(p[6], subtract(a.upper_right, a.lower_right).all(), add(b.lower_left, b.lower_right).all()); });
  assemble(quarters(product), p);
}

extern const kernel strassen;

}  // namespace bench::strassen
