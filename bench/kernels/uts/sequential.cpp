#include "kernels/uts/uts.hpp"

namespace bench::uts {

namespace {

std::uint64_t count_below(const tree& tree, const node& node) {
  std::uint32_t const children = count_children(tree, node);
  std::uint64_t nodes = 1;
  for (std::uint32_t index = 0; index < children; ++index) nodes += count_below(tree, child(node, index));
  return nodes;
}

}  // namespace

std::uint64_t count_sequential(const tree& tree) { return count_below(tree, root(tree)); }

}  // namespace bench::uts
