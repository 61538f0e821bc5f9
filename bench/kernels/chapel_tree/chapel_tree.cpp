#include "kernels/chapel_tree/chapel_tree.hpp"

#include "harness/memory.hpp"

namespace bench::chapel_tree {

namespace {

constexpr std::uint64_t bytes_per_node = 32;  // with what the heap takes for itself

std::uint64_t expected(const kernel_input& input) {
  std::uint64_t const last = nodes(input.size);
  return (last + 1) / 2 * last;
}

fitted_size fit(std::uint64_t size) {
  return fit_to_memory(size, "levels", [](std::uint64_t levels) { return nodes(levels) * bytes_per_node; });
}

}  // namespace

void destroy(node* root) {
  if (root == nullptr) return;
  destroy(root->left);
  destroy(root->right);
  delete root;
}

const kernel chapel_tree = {
    .name = "chapel-tree",
    .title = "Chapel's tree: builds a full binary tree, then sums it; two tasks a visit",
    .size_word = "levels",
    .unit = "visit",
    .default_size = 20,
    .quick_size = 12,
    .max_size = 32,
    .expected = expected,
    .fit = fit,
    .is_of_experiment = true,
};

}  // namespace bench::chapel_tree
