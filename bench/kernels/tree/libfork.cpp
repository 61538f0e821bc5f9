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

struct explored {
  node* root = nullptr;
  std::uint64_t sum = 0;
};

constexpr auto explore_task = [](auto, std::uint64_t size) -> lf::task<explored> {
  explored all;
  co_await lf::call(&all.root, build_task)(range{1, size});
  co_await lf::join;
  co_await lf::call(&all.sum, sum_task)(static_cast<const node*>(all.root));
  co_await lf::join;
  co_return all;
};

}  // namespace

kernel_run run_libfork(const kernel_input& input, stopwatch& watch) {
  auto const all = result_watched<explored>(watch, explore_task, input.size);
  destroy(all.root);
  return {all.sum, 2 * input.size, {}};
}

}  // namespace bench::tree
