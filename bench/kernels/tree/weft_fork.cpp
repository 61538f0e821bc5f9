#include <weft/fork.hpp>

#include "kernels/tree/tree.hpp"

namespace bench::tree {

namespace {

node* build(range numbers) noexcept {
  if (numbers.is_empty()) return nullptr;
  std::uint64_t const middle = numbers.middle();
  node* const made = new node{nullptr, nullptr, middle};
  auto left = weft::fork([=] { return build({numbers.first, middle - 1}); });
  made->right = build({middle + 1, numbers.last});
  made->left = left.join();
  return made;
}

std::uint64_t sum(const node* root) noexcept {
  if (root == nullptr) return 0;
  auto left = weft::fork([=] { return sum(root->left); });
  std::uint64_t const right = sum(root->right);
  return left.join() + right + root->number;
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
