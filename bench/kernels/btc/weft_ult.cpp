#include "harness/must.hpp"
#include "kernels/btc/btc.hpp"

namespace bench::btc {

namespace {

struct node {
  std::uint64_t depth;
  std::uint64_t leaves;
};

void run_node(void* argument);

std::uint64_t count_leaves(std::uint64_t depth) {
  if (depth == 0) return 1;
  node left{depth - 1, 0};
  node right{depth - 1, 0};
  weft_thread* const left_thread = create(run_node, &left);
  weft_thread* const right_thread = create(run_node, &right);
  join(right_thread);
  join(left_thread);
  return left.leaves + right.leaves;
}

void run_node(void* argument) {
  auto* const self = static_cast<node*>(argument);
  self->leaves = count_leaves(self->depth);
}

}  // namespace

kernel_run run_ult(const kernel_input& input, stopwatch& watch) { return run(input, watch, count_leaves); }

}  // namespace bench::btc
