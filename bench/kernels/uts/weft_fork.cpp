// A fork a node. The brothers of a node are a recursion of their own: a loop over an array of forks is no faster, as it ends twice at a
// number that nobody can foresee.
#include <weft/fork.hpp>

#include "kernels/uts/uts.hpp"

namespace bench::uts {

namespace {

struct visit {
  const tree* of;
  node at;
};

std::uint64_t count_below(const visit& parent) noexcept;

std::uint64_t count_child(const visit* parent, std::uint32_t index) noexcept {
  return count_below({parent->of, child(parent->at, index)});
}

// The children from index down to the first, which alone is a plain call.
std::uint64_t count_children_to(const visit* parent, std::uint32_t index) noexcept {
  if (index == 0) return count_child(parent, index);
  auto last = weft::fork([=] { return count_child(parent, index); });
  std::uint64_t const others = count_children_to(parent, index - 1);
  return last.join() + others;
}

std::uint64_t count_below(const visit& parent) noexcept {
  std::uint32_t const children = count_children(*parent.of, parent.at);
  return children == 0 ? 1 : 1 + count_children_to(&parent, children - 1);
}

}  // namespace

std::uint64_t count_fork(const tree& tree) { return count_below({&tree, root(tree)}); }

}  // namespace bench::uts
