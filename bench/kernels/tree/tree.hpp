// Tree exploration: builds a balanced binary tree of `size` nodes on the heap, then sums the
// numbers in it. units: visits, two a node: one builds it, one sums it; each is a thread in the ult
// variant. With forks, one child of a node is forked, the other a plain call.
#pragma once

#include "harness/kernel.hpp"

namespace bench::tree {

struct node {
  node* left;
  node* right;
  std::uint64_t number;
};

// The numbers first to last, both included; empty when last < first.
struct range {
  std::uint64_t first;
  std::uint64_t last;

  [[nodiscard]] bool is_empty() const { return last < first; }
  [[nodiscard]] std::uint64_t middle() const { return first + (last - first) / 2; }
};

void destroy(node* root);

kernel_run run_sequential(const kernel_input& input, stopwatch& watch);
kernel_run run_ult(const kernel_input& input, stopwatch& watch);
kernel_run run_fork(const kernel_input& input, stopwatch& watch);

extern const kernel tree;

}  // namespace bench::tree
