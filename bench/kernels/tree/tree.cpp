#include "kernels/tree/tree.hpp"

namespace bench::tree {

namespace {

std::uint64_t expected(const kernel_input& input) {
  std::uint64_t sum = 0;
  for (std::uint64_t number = 1; number <= input.size; ++number) sum += number;
  return sum;
}

}  // namespace

void destroy(node* root) {
  if (root == nullptr) return;
  destroy(root->left);
  destroy(root->right);
  delete root;
}

const kernel tree = {
    .name = "tree",
    .title = "builds a binary tree, then sums it; each visit a thread or fork",
    .size_word = "nodes",
    .unit = "visit",
    .default_size = std::uint64_t{1} << 20,
    .quick_size = std::uint64_t{1} << 12,
    .max_size = std::uint64_t{1} << 32,
    .expected = expected,
};

}  // namespace bench::tree
