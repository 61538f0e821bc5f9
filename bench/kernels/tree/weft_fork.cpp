// A child without work (an empty range, no node) is no fork.
#include <weft/fork.hpp>

#include "kernels/tree/tree.hpp"

namespace bench::tree {

namespace {

node* build(range numbers) noexcept {
  if (numbers.is_empty()) return nullptr;
  std::uint64_t const middle = numbers.middle();
  range const lower{numbers.first, middle - 1};
  range const upper{middle + 1, numbers.last};
  node* const made = new node{nullptr, nullptr, middle};
  if (upper.is_empty()) {
    made->left = build(lower);
    return made;
  }
  auto right = weft::fork([=] { return build(upper); });
  made->left = build(lower);
  made->right = right.join();
  return made;
}

std::uint64_t sum(const node* root) noexcept {
  if (root == nullptr) return 0;
  if (root->right == nullptr) return root->number + sum(root->left);
  auto right = weft::fork([=] { return sum(root->right); });
  std::uint64_t const left = sum(root->left);
  return left + right.join() + root->number;
}

}  // namespace

kernel_run run_fork(const kernel_input& input, stopwatch& watch) {
  watch.start();
  node* const root = build({1, input.size});
  std::uint64_t const total = sum(root);
  watch.stop();
  destroy(root);
  return {total, 2 * input.size, {}};
}

}  // namespace bench::tree
