#include "kernels/matmul/matrix.hpp"

#include <algorithm>
#include <vector>

#include "harness/random.hpp"

namespace bench::matmul {

namespace {

using numbers = std::vector<std::uint64_t>;  // modulo 2^64

numbers make_weights(std::uint64_t seed, std::size_t count) {
  random_numbers random(seed);
  numbers weights(count);
  std::ranges::generate(weights, [&] { return random.next(); });
  return weights;
}
numbers row_weights(std::size_t count) { return make_weights(3, count); }
numbers column_weights(std::size_t count) { return make_weights(4, count); }

std::uint64_t whole(double element) { return static_cast<std::uint64_t>(static_cast<std::int64_t>(element)); }

std::uint64_t weigh_row(const double* row, const numbers& weights) {
  std::uint64_t sum = 0;
  for (std::size_t column = 0; column < weights.size(); ++column) sum += whole(row[column]) * weights[column];
  return sum;
}

numbers multiply(const matrix& left, const numbers& right) {
  numbers product(left.rows);
  for (std::size_t row = 0; row < left.rows; ++row) product[row] = weigh_row(left.row(row), right);
  return product;
}

std::uint64_t multiply(const numbers& left, const numbers& right) {
  std::uint64_t sum = 0;
  for (std::size_t index = 0; index < left.size(); ++index) sum += left[index] * right[index];
  return sum;
}

void fill(const matrix& target, std::uint64_t seed) {
  random_numbers random(seed);
  for (std::size_t row = 0; row < target.rows; ++row) {
    std::generate_n(target.row(row), target.columns, [&] { return static_cast<double>(random.next() % 17) - 8; });
  }
}

}  // namespace

void clear(const matrix& target) {
  for (std::size_t row = 0; row < target.rows; ++row) std::fill_n(target.row(row), target.columns, 0.0);
}

void multiply_add_block(const matrix& product, const matrix& left, const matrix& right) {
  for (std::size_t row = 0; row < product.rows; ++row) {
    double* const sums = product.row(row);
    for (std::size_t inner = 0; inner < left.columns; ++inner) {
      double const factor = left.row(row)[inner];
      const double* const others = right.row(inner);
      for (std::size_t column = 0; column < product.columns; ++column) sums[column] += factor * others[column];
    }
  }
}

factors::factors(std::size_t size) : left(size, size), right(size, size) {
  fill(left.all(), 1);
  fill(right.all(), 2);
}

std::uint64_t weigh(const matrix& product) {
  return multiply(row_weights(product.rows), multiply(product, column_weights(product.columns)));
}

std::uint64_t expected(const kernel_input& input) {
  auto const size = static_cast<std::size_t>(input.size);
  factors const of(size);
  return multiply(row_weights(size), multiply(of.left.all(), multiply(of.right.all(), column_weights(size))));
}

}  // namespace bench::matmul
