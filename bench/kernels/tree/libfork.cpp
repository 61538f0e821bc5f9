// A child without work (an empty range, no node) is no task.
#include "kernels/libfork.hpp"
#include "kernels/tree/tree.hpp"

namespace bench::tree {

namespace {

constexpr auto build_task = [](auto self, range numbers) -> lf::task<node*> {
  std::uint64_t const middle = numbers.middle();
  node* const made = new node{nullptr, nullptr, middle};
  range const lower{numbers.first, middle - 1};
  range const upper{middle + 1, numbers.last};
  if (!lower.is_empty() && !upper.is_empty()) co_await lf::fork(&made->left, self)(lower);
  if (!lower.is_empty() && upper.is_empty()) co_await lf::call(&made->left, self)(lower);
  if (!upper.is_empty()) co_await lf::call(&made->right, self)(upper);
  co_await lf::join;
  co_return made;
};

constexpr auto sum_task = [](auto self, const node* root) -> lf::task<std::uint64_t> {
  std::uint64_t left = 0;
  std::uint64_t right = 0;
  if (root->left != nullptr && root->right != nullptr) co_await lf::fork(&left, self)(root->left);
  if (root->left != nullptr && root->right == nullptr) co_await lf::call(&left, self)(root->left);
  if (root->right != nullptr) co_await lf::call(&right, self)(root->right);
  co_await lf::join;
  co_return root->number + left + right;
};

}  // namespace

kernel_run run_libfork(const kernel_input& input, stopwatch& watch) {
  watch.start();
  node* const root = lf::sync_wait(libfork_pool(), build_task, range{1, input.size});
  std::uint64_t const total = lf::sync_wait(libfork_pool(), sum_task, static_cast<const node*>(root));
  watch.stop();
  destroy(root);
  return {total, 2 * input.size, {}};
}

}  // namespace bench::tree
