// A thread a node. A visit's frame is small, because T3 is more than 1500 levels deep and a join
// may run a child on its joiner's stack: up to 8 children (all nodes of T3 but the root) have their
// records in the frame, more have them on the heap.
#include "harness/child_group.hpp"
#include "kernels/uts/uts.hpp"

namespace bench::uts {

namespace {

struct visit {
  const tree* of;
  const node* parent;
  std::uint32_t index;
  std::uint64_t nodes;
};

void run_visit(void* argument);

std::uint64_t count_below(const tree& tree, const node& node) {
  std::uint32_t const children = count_children(tree, node);
  if (children == 0) return 1;
  child_group<visit, 8> group(children);
  for (std::uint32_t index = 0; index < children; ++index) group[index] = {&tree, &node, index, 0};
  group.run(run_visit);
  std::uint64_t nodes = 1;
  for (std::uint32_t index = 0; index < children; ++index) nodes += group[index].nodes;
  return nodes;
}

void run_visit(void* argument) {
  auto* const self = static_cast<visit*>(argument);
  self->nodes = count_below(*self->of, child(*self->parent, self->index));
}

}  // namespace

std::uint64_t count_ult(const tree& tree) { return count_below(tree, root(tree)); }

}  // namespace bench::uts
