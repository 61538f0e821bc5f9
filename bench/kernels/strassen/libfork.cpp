#include <variant>

#include "kernels/matmul/libfork.hpp"
#include "kernels/strassen/strassen.hpp"

namespace bench::strassen {

namespace {

// A quarter of a factor, or a sum of two.
class operand {
 public:
  operand(const matrix& part) : is_(part) {}
  operand(owned_matrix&& sum) : is_(std::move(sum)) {}

  [[nodiscard]] const matrix& all() const {
    const auto* const sum = std::get_if<owned_matrix>(&is_);
    return sum != nullptr ? sum->all() : std::get<matrix>(is_);
  }

 private:
  std::variant<matrix, owned_matrix> is_;
};

operand left_of(int product, const quarters& a) {
  switch (product) {
    case 0: return add(a.upper_left, a.lower_right);
    case 1: return add(a.lower_left, a.lower_right);
    case 2: return a.upper_left;
    case 3: return a.lower_right;
    case 4: return add(a.upper_left, a.upper_right);
    case 5: return subtract(a.lower_left, a.upper_left);
    default: return subtract(a.upper_right, a.lower_right);
  }
}

operand right_of(int product, const quarters& b) {
  switch (product) {
    case 0: return add(b.upper_left, b.lower_right);
    case 1: return b.upper_left;
    case 2: return subtract(b.upper_right, b.lower_right);
    case 3: return subtract(b.lower_left, b.upper_left);
    case 4: return b.lower_right;
    case 5: return add(b.upper_left, b.upper_right);
    default: return add(b.lower_left, b.lower_right);
  }
}

// Both call the other one.
struct one_product {
  auto operator()(auto self, const quarters* a, const quarters* b, int product, matrix target) const -> lf::task<void>;
};

struct multiply_all {
  auto operator()(auto, matrix product, matrix left, matrix right) const -> lf::task<void> {
    if (is_plain(product.rows)) {
      clear(product);
      co_await lf::call(matmul::multiply_add_task)(product, left, right);
      co_await lf::join;
      co_return;
    }
    products const p = make_products(product.rows / 2);
    quarters const a(left);
    quarters const b(right);
    for (int index = 0; index < 6; ++index)
      co_await lf::fork(one_product{})(&a, &b, index, p[static_cast<std::size_t>(index)].all());
    co_await lf::call(one_product{})(&a, &b, 6, p[6].all());
    co_await lf::join;
    assemble(quarters(product), p);
  }
};

auto one_product::operator()(auto, const quarters* a, const quarters* b, int product, matrix target) const -> lf::task<void> {
  operand const left = left_of(product, *a);
  operand const right = right_of(product, *b);
  co_await lf::call(multiply_all{})(target, left.all(), right.all());
  co_await lf::join;
}

}  // namespace

kernel_run run_libfork(const kernel_input& input, stopwatch& watch) {
  auto const size = static_cast<std::size_t>(input.size);
  matmul::factors const of(size);
  owned_matrix const product(size, size);
  matmul::clear(product.all());
  run_watched(watch, multiply_all{}, product.all(), of.left.all(), of.right.all());
  return {matmul::weigh(product.all()), blocks(size), {}};
}

}  // namespace bench::strassen
