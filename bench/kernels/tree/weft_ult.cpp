#include "harness/must.hpp"
#include "kernels/tree/tree.hpp"

namespace bench::tree {

namespace {

struct building {
  range numbers;
  node* root;
};

struct summing {
  const node* root;
  std::uint64_t sum;
};

// Runs both as threads; a child without work (an empty range, no node) is none.
template <typename Record>
void run_both(weft_function function, Record& left, bool has_left, Record& right, bool has_right) {
  weft_thread* const left_thread = has_left ? create(function, &left) : nullptr;
  weft_thread* const right_thread = has_right ? create(function, &right) : nullptr;
  if (has_right) join(right_thread);
  if (has_left) join(left_thread);
}

void run_building(void* argument) {
  auto* const self = static_cast<building*>(argument);
  std::uint64_t const middle = self->numbers.middle();
  building left{{self->numbers.first, middle - 1}, nullptr};
  building right{{middle + 1, self->numbers.last}, nullptr};
  self->root = new node{nullptr, nullptr, middle};
  run_both(run_building, left, !left.numbers.is_empty(), right, !right.numbers.is_empty());
  self->root->left = left.root;
  self->root->right = right.root;
}

void run_summing(void* argument) {
  auto* const self = static_cast<summing*>(argument);
  summing left{self->root->left, 0};
  summing right{self->root->right, 0};
  run_both(run_summing, left, left.root != nullptr, right, right.root != nullptr);
  self->sum = self->root->number + left.sum + right.sum;
}

}  // namespace

kernel_run run_ult(const kernel_input& input, stopwatch& watch) {
  building whole{{1, input.size}, nullptr};
  if (whole.numbers.is_empty()) return {};
  watch.start();
  join(create(run_building, &whole));
  summing all{whole.root, 0};
  join(create(run_summing, &all));
  watch.stop();
  destroy(whole.root);
  return {all.sum, 2 * input.size, {}};
}

}  // namespace bench::tree
