// Tree exploration over harness/children.hpp. A child without work (an empty range, no node) is
// none.
#pragma once

#include "harness/together.hpp"
#include "kernels/tree/tree.hpp"

namespace bench::tree {

template <class Way>
node* build_by(range numbers) {
  std::uint64_t const middle = numbers.middle();
  range const lower{numbers.first, middle - 1};
  range const upper{middle + 1, numbers.last};
  node* const made = new node{nullptr, nullptr, middle};
  auto const left = leaf_when<Way>(lower.first == lower.last, [&] { made->left = build_by<Way>(lower); });
  auto const right = leaf_when<Way>(upper.first == upper.last, [&] { made->right = build_by<Way>(upper); });
  if (!lower.is_empty() && !upper.is_empty())
    Way::run(left, right);
  else if (!lower.is_empty())
    Way::run(left);
  else if (!upper.is_empty())
    Way::run(right);
  return made;
}

inline bool has_no_children(const node* root) { return root != nullptr && root->left == nullptr && root->right == nullptr; }

template <class Way>
std::uint64_t sum_by(const node* root) {
  std::uint64_t left_sum = 0;
  std::uint64_t right_sum = 0;
  auto const left = leaf_when<Way>(has_no_children(root->left), [&] { left_sum = sum_by<Way>(root->left); });
  auto const right = leaf_when<Way>(has_no_children(root->right), [&] { right_sum = sum_by<Way>(root->right); });
  if (root->left != nullptr && root->right != nullptr)
    Way::run(left, right);
  else if (root->left != nullptr)
    Way::run(left);
  else if (root->right != nullptr)
    Way::run(right);
  return root->number + left_sum + right_sum;
}

template <class Way>
kernel_run run_by(const kernel_input& input, stopwatch& watch) {
  watch.start();
  node* const root = build_by<Way>({1, input.size});
  std::uint64_t const total = sum_by<Way>(root);
  watch.stop();
  destroy(root);
  return {total, 2 * input.size, {}};
}

}  // namespace bench::tree
