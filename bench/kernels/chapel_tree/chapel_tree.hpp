// Tree exploration as Chapel's example program has it (tree.chpl): builds a full binary tree of
// `size` levels on the heap, then sums the numbers in it, which are 1 … 2^size - 1 in preorder.
// Each visit of an inner node is a `cobegin` of two tasks, one a child, without any threshold: 2 *
// (2^size - 2) tasks in all. See kernels/chapel_quicksort for the comparison that it comes from.
// units: visits, two a node.
#pragma once

#include "harness/kernel.hpp"

namespace bench::chapel_tree {

struct node {
  std::uint64_t number;
  node* left = nullptr;
  node* right = nullptr;
};

constexpr std::uint64_t nodes(std::uint64_t levels) { return (std::uint64_t{1} << levels) - 1; }

void destroy(node* root);

template <class Way>
node* build(std::uint64_t levels, std::uint64_t number) {
  node* const made = new node{number};
  if (levels > 1) {
    std::uint64_t const below = levels - 1;
    Way::run([=] { made->left = build<Way>(below, number + 1); },
             [=] { made->right = build<Way>(below, number + (std::uint64_t{1} << below)); });
  }
  return made;
}

template <class Way>
std::uint64_t sum(const node& root) {
  if (root.left == nullptr) return root.number;
  std::uint64_t left = 0;
  std::uint64_t right = 0;
  Way::run([&] { left = sum<Way>(*root.left); }, [&] { right = sum<Way>(*root.right); });
  return root.number + left + right;
}

template <class Way>
kernel_run run(const kernel_input& input, stopwatch& watch) {
  watch.start();
  node* const root = build<Way>(input.size, 1);
  std::uint64_t const total = sum<Way>(*root);
  watch.stop();
  destroy(root);
  return {total, 2 * nodes(input.size), {}};
}

extern const kernel chapel_tree;

}  // namespace bench::chapel_tree
