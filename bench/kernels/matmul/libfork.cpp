#include "kernels/matmul/libfork.hpp"

namespace bench::matmul {

kernel_run run_libfork(const kernel_input& input, stopwatch& watch) {
  auto const size = static_cast<std::size_t>(input.size);
  factors const of(size);
  owned_matrix const product(size, size);
  clear(product.all());
  run_watched(watch, multiply_add_task, product.all(), of.left.all(), of.right.all());
  return {weigh(product.all()), blocks(size), {}};
}

}  // namespace bench::matmul
