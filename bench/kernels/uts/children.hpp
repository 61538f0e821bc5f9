// UTS over harness/children.hpp: a child a node. T3 is more than 1500 levels deep, so that a
// visit's frame is small.
#pragma once

#include "harness/children.hpp"
#include "kernels/uts/uts.hpp"

namespace bench::uts {

template <class Way>
std::uint64_t count_below_by(const tree& tree, const node& node);

template <class Way>
struct visit_by {
  const tree* of;
  const node* parent;
  std::uint32_t index;
  std::uint64_t nodes;

  // Before it is hashed, only its depth is known.
  [[nodiscard]] bool is_leaf() const { return !of->is_binomial && parent->depth + 1 >= of->depth; }
  void run() { nodes = count_below_by<Way>(*of, child(*parent, index)); }
};

template <class Way>
std::uint64_t count_below_by(const tree& tree, const node& node) {
  std::uint32_t const children = count_children(tree, node);
  if (children == 0) return 1;
  records<visit_by<Way>, 8> visits(children);
  for (std::uint32_t index = 0; index < children; ++index) visits[index] = {&tree, &node, index, 0};
  Way::run_all(visits.first(), children);
  std::uint64_t nodes = 1;
  for (std::uint32_t index = 0; index < children; ++index) nodes += visits[index].nodes;
  return nodes;
}

template <class Way>
std::uint64_t count_by(const tree& tree) {
  return count_below_by<Way>(tree, root(tree));
}

}  // namespace bench::uts
