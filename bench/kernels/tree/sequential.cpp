#include "kernels/tree/tree.hpp"

namespace bench::tree {

namespace {

node* build(range numbers) {
  if (numbers.is_empty()) return nullptr;
  std::uint64_t const middle = numbers.middle();
  node* const made = new node{nullptr, nullptr, middle};
  made->left = build({numbers.first, middle - 1});
  made->right = build({middle + 1, numbers.last});
  return made;
}

std::uint64_t sum(const node* root) { return root == nullptr ? 0 : root->number + sum(root->left) + sum(root->right); }

}  // namespace

kernel_run run_sequential(const kernel_input& input, stopwatch& watch) {
  watch.start();
  node* const root = build({1, input.size});
  std::uint64_t const total = sum(root);
  watch.stop();
  destroy(root);
  return {total, 2 * input.size, {}};
}

}  // namespace bench::tree
