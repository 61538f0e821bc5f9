#include "runtimes/foreign/cells.hpp"

#include <memory>

#include "kernels/sorting.hpp"

namespace bench::foreign {

foreign_watch watch_for(stopwatch& watch) {
  return {&watch, [](void* of) { static_cast<stopwatch*>(of)->start(); }, [](void* of) { static_cast<stopwatch*>(of)->stop(); }};
}

namespace {

foreign_node to_foreign(const uts::tree& tree, const uts::node& node) {
  const uts::digest& s = node.state;
  return {{s[0], s[1], s[2], s[3], s[4]}, node.depth, uts::count_children(tree, node)};
}

foreign_node make_root(void* of) {
  const auto& tree = *static_cast<const uts::tree*>(of);
  return to_foreign(tree, uts::root(tree));
}

foreign_node make_child(void* of, foreign_node parent, std::uint32_t index) {
  const auto& tree = *static_cast<const uts::tree*>(of);
  const auto& s = parent.state;
  return to_foreign(tree, uts::child({{s[0], s[1], s[2], s[3], s[4]}, parent.depth}, index));
}

foreign_matrix to_foreign(const matmul::matrix& of) { return {of.first, of.rows, of.columns, of.stride}; }
matmul::matrix to_own(const foreign_matrix& of) { return {of.first, of.rows, of.columns, of.stride}; }

void multiply_add_block(foreign_matrix product, foreign_matrix left, foreign_matrix right) {
  matmul::multiply_add_block(to_own(product), to_own(left), to_own(right));
}

kernel_run run_fib_to(std::uint64_t cutoff, const kernel_input& input, stopwatch& watch) {
  foreign_watch own = watch_for(watch);
  return {foreign_fib(&own, input.size, cutoff), fib::calls(input.size, cutoff), {}};
}

kernel_run run_quicksort_to(std::size_t cutoff, const kernel_input& input, stopwatch& watch) {
  foreign_watch own = watch_for(watch);
  auto const count = static_cast<std::size_t>(input.size);
  std::unique_ptr<sorting::value[]> const values = sorting::make_values(count);
  std::uint64_t const units = foreign_quicksort(&own, values.get(), count, cutoff);
  return {sorting::digest_sorted(values.get(), count), units, {}};
}

}  // namespace

kernel_run run_fib(const kernel_input& input, stopwatch& watch) { return run_fib_to(fib::no_cutoff, input, watch); }
kernel_run run_fib_cutoff(const kernel_input& input, stopwatch& watch) { return run_fib_to(fib::cutoff, input, watch); }

kernel_run run_uts(const uts::tree& tree, stopwatch& watch) {
  foreign_watch own = watch_for(watch);
  foreign_tree of{const_cast<uts::tree*>(&tree), make_root, make_child};
  std::uint64_t const nodes = foreign_uts(&own, &of);
  return {nodes, nodes, {}};
}

kernel_run run_queens(const kernel_input& input, stopwatch& watch) {
  foreign_watch own = watch_for(watch);
  foreign_count const found = foreign_queens(&own, input.size);
  return {found.solutions, found.placements, {}};
}

kernel_run run_queens_array(const kernel_input& input, stopwatch& watch) {
  foreign_watch own = watch_for(watch);
  foreign_count const found = foreign_queens_array(&own, input.size);
  return {found.solutions, found.placements, {}};
}

kernel_run run_quicksort(const kernel_input& input, stopwatch& watch) {
  return run_quicksort_to(quicksort::cutoff, input, watch);
}
kernel_run run_quicksort_every(const kernel_input& input, stopwatch& watch) {
  return run_quicksort_to(quicksort::no_cutoff, input, watch);
}

kernel_run run_mergesort(const kernel_input& input, stopwatch& watch) {
  foreign_watch own = watch_for(watch);
  auto const count = static_cast<std::size_t>(input.size);
  std::unique_ptr<sorting::value[]> const values = sorting::make_values(count);
  std::unique_ptr<sorting::value[]> const scratch = std::make_unique<sorting::value[]>(count);
  foreign_mergesort(&own, values.get(), scratch.get(), count);
  return {sorting::digest_sorted(values.get(), count), mergesort::segments(count), {}};
}

kernel_run run_matmul(const kernel_input& input, stopwatch& watch) {
  foreign_watch own = watch_for(watch);
  auto const size = static_cast<std::size_t>(input.size);
  matmul::factors const of(size);
  matmul::owned_matrix const product(size, size);
  matmul::clear(product.all());
  foreign_matmul(&own, to_foreign(product.all()), to_foreign(of.left.all()), to_foreign(of.right.all()), multiply_add_block);
  return {matmul::weigh(product.all()), matmul::blocks(size), {}};
}

kernel_run run_tree(const kernel_input& input, stopwatch& watch) {
  foreign_watch own = watch_for(watch);
  return {foreign_tree_sum(&own, input.size), 2 * input.size, {}};
}

kernel_run run_btc(const kernel_input& input, stopwatch& watch) {
  foreign_watch own = watch_for(watch);
  return {foreign_btc(&own, input.size), btc::tasks(input.size), {}};
}

kernel_run run_create_flat(const kernel_input& input, stopwatch& watch) {
  foreign_watch own = watch_for(watch);
  return {foreign_create_flat(&own, input.size, creation::batch), input.size, {}};
}

kernel_run run_create_nested(const kernel_input& input, stopwatch& watch) {
  foreign_watch own = watch_for(watch);
  return {foreign_create_nested(&own, input.size, creation::chain), input.size, {}};
}

}  // namespace bench::foreign
