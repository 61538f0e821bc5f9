// Matrices of whole numbers as doubles, which hold their products exactly, and the check of a
// product that does not multiply matrices: R. Freivalds (1977), Probabilistic machines can use less
// running time. The answer of a kernel is the sum of all elements of its product, each weighted by
// a random number of its row and one of its column, modulo 2^64. The right one comes from the
// factors, by two products of a matrix and a vector: row weights · (A · (B · column weights)).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "harness/kernel.hpp"

namespace bench::matmul {

// A rectangle in a caller's memory.
struct matrix {
  double* first;
  std::size_t rows;
  std::size_t columns;
  std::size_t stride;  // from row to row

  [[nodiscard]] double* row(std::size_t index) const { return first + index * stride; }
  [[nodiscard]] matrix part(std::size_t row_index, std::size_t column, std::size_t row_count, std::size_t column_count) const {
    return {row(row_index) + column, row_count, column_count, stride};
  }
};

class owned_matrix {
 public:
  owned_matrix(std::size_t rows, std::size_t columns)
      : elements_(std::make_unique_for_overwrite<double[]>(rows * columns)), all_{elements_.get(), rows, columns, columns} {}

  [[nodiscard]] const matrix& all() const { return all_; }

 private:
  std::unique_ptr<double[]> elements_;
  matrix all_;
};

void clear(const matrix& target);
// product += left · right, by three loops.
void multiply_add_block(const matrix& product, const matrix& left, const matrix& right);

struct factors {
  explicit factors(std::size_t size);
  owned_matrix left;
  owned_matrix right;
};

std::uint64_t weigh(const matrix& product);
std::uint64_t expected(const kernel_input& input);

// Multiply: product = left · right, of square matrices. Blocks: the units for a size.
template <void (*Multiply)(const matrix& product, const matrix& left, const matrix& right), std::uint64_t (*Blocks)(std::size_t)>
kernel_run run(const kernel_input& input, stopwatch& watch) {
  auto const size = static_cast<std::size_t>(input.size);
  factors const of(size);
  owned_matrix const product(size, size);
  clear(product.all());
  watch.start();
  Multiply(product.all(), of.left.all(), of.right.all());
  watch.stop();
  return {weigh(product.all()), Blocks(size), {}};
}

}  // namespace bench::matmul
