#include "harness/fork_rest.hpp"
#include "kernels/uts/uts.hpp"

namespace bench::uts {

namespace {

struct visit {
  const tree* of;
  node at;
};

void count_below(const visit& parent, std::uint64_t& nodes) noexcept;

struct children {
  const visit* parent;
  std::uint32_t first;
  std::uint32_t last;

  [[nodiscard]] bool is_one() const { return first == last; }
  void drop_first() { ++first; }
  children take_half() {
    children half = *this;
    last = first + (last - first) / 2;
    half.first = last + 1;
    return half;
  }
  void add_first(std::uint64_t& nodes) const noexcept { count_below({parent->of, child(parent->at, first)}, nodes); }
};

void count_below(const visit& parent, std::uint64_t& nodes) noexcept {
  ++nodes;
  std::uint32_t const count = count_children(*parent.of, parent.at);
  if (count > 0) fork_children(children{&parent, 0, count - 1}, nodes);
}

}  // namespace

std::uint64_t count_fork(const tree& tree) {
  std::uint64_t nodes = 0;
  count_below({&tree, root(tree)}, nodes);
  return nodes;
}

}  // namespace bench::uts
