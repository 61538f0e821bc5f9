// A child without work (an empty range, no node) is no task.
#include <lace.h>

#include "kernels/lace.hpp"
#include "kernels/tree/tree.hpp"

namespace bench::tree {

TASK_2(node*, build, std::uint64_t, first, std::uint64_t, last) {
  std::uint64_t const middle = range{first, last}.middle();
  node* const made = new node{nullptr, nullptr, middle};
  bool const has_right = middle < last;
  if (has_right) SPAWN(build, middle + 1, last);
  if (first < middle) made->left = CALL(build, first, middle - 1);
  if (has_right) made->right = SYNC(build);
  return made;
}

TASK_1(std::uint64_t, sum, const node*, root) {
  if (root->right != nullptr) SPAWN(sum, root->right);
  std::uint64_t total = root->number;
  if (root->left != nullptr) total += CALL(sum, root->left);
  if (root->right != nullptr) total += SYNC(sum);
  return total;
}

kernel_run run_lace(const kernel_input& input, stopwatch& watch) {
  watch.start();
  node* const root = RUN(build, 1, input.size);
  std::uint64_t const total = RUN(sum, root);
  watch.stop();
  destroy(root);
  return {total, 2 * input.size, {}};
}

}  // namespace bench::tree
