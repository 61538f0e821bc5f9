#include "kernels/strassen/strassen.hpp"

#include <algorithm>
#include <functional>

namespace bench::strassen {

namespace {

template <class Operation>
owned_matrix combine(const matrix& left, const matrix& right, Operation operation) {
  owned_matrix result(left.rows, left.columns);
  for (std::size_t row = 0; row < left.rows; ++row) {
    const double* const others = right.row(row);
    std::transform(left.row(row), left.row(row) + left.columns, others, result.all().row(row), operation);
  }
  return result;
}

void assemble_row(const quarters& whole, const products& of, std::size_t row) {
  std::array<const double*, 7> p;
  for (std::size_t index = 0; index < p.size(); ++index) p[index] = of[index].all().row(row);
  double* const upper_left = whole.upper_left.row(row);
  double* const upper_right = whole.upper_right.row(row);
  double* const lower_left = whole.lower_left.row(row);
  double* const lower_right = whole.lower_right.row(row);
  for (std::size_t column = 0; column < whole.upper_left.columns; ++column) {
    upper_left[column] = p[0][column] + p[3][column] - p[4][column] + p[6][column];
    upper_right[column] = p[2][column] + p[4][column];
    lower_left[column] = p[1][column] + p[3][column];
    lower_right[column] = p[0][column] - p[1][column] + p[2][column] + p[5][column];
  }
}

}  // namespace

owned_matrix add(const matrix& left, const matrix& right) { return combine(left, right, std::plus{}); }
owned_matrix subtract(const matrix& left, const matrix& right) { return combine(left, right, std::minus{}); }

quarters::quarters(const matrix& whole)
    : upper_left(whole.part(0, 0, whole.rows / 2, whole.columns / 2)),
      upper_right(whole.part(0, whole.columns / 2, whole.rows / 2, whole.columns / 2)),
      lower_left(whole.part(whole.rows / 2, 0, whole.rows / 2, whole.columns / 2)),
      lower_right(whole.part(whole.rows / 2, whole.columns / 2, whole.rows / 2, whole.columns / 2)) {}

products make_products(std::size_t extent) {
  auto const make = [extent] { return owned_matrix(extent, extent); };
  return {make(), make(), make(), make(), make(), make(), make()};
}

void assemble(const quarters& whole, const products& of) {
  for (std::size_t row = 0; row < whole.upper_left.rows; ++row) assemble_row(whole, of, row);
}

const kernel strassen = {
    .name = "strassen",
    .title = "matrix product by Strassen's seven products; each a thread or fork",
    .size_word = "rows",
    .unit = "block",
    .default_size = 512,
    .quick_size = 192,
    .max_size = std::uint64_t{1} << 14,
    .expected = matmul::expected,
    .is_digest = true,
};

}  // namespace bench::strassen
