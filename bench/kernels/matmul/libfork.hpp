// The product of matrices by halving as libfork's task; Strassen's calls it, too.
#pragma once

#include "kernels/libfork.hpp"
#include "kernels/matmul/matmul.hpp"

namespace bench::matmul {

// product += left · right
inline constexpr auto multiply_add_task = [](auto self, matrix product, matrix left, matrix right) -> lf::task<void> {
  std::size_t const rows = product.rows;
  std::size_t const columns = product.columns;
  std::size_t const inner = left.columns;
  std::size_t const longest = std::max({rows, columns, inner});
  std::size_t const half = longest / 2;
  if (longest <= block_extent) {
    multiply_add_block(product, left, right);
  } else if (longest == rows) {
    co_await lf::fork(self)(product.part(0, 0, half, columns), left.part(0, 0, half, inner), right);
    co_await lf::call(self)(product.part(half, 0, rows - half, columns), left.part(half, 0, rows - half, inner), right);
  } else if (longest == columns) {
    co_await lf::fork(self)(product.part(0, 0, rows, half), left, right.part(0, 0, inner, half));
    co_await lf::call(self)(product.part(0, half, rows, columns - half), left, right.part(0, half, inner, columns - half));
  } else {
    co_await lf::call(self)(product, left.part(0, 0, rows, half), right.part(0, 0, half, columns));
    co_await lf::join;
    co_await lf::call(self)(product, left.part(0, half, rows, inner - half), right.part(half, 0, inner - half, columns));
  }
  co_await lf::join;
};

}  // namespace bench::matmul
