#include "harness/fork_rest.hpp"
#include "kernels/uts/uts.hpp"

namespace bench::uts {

namespace {

struct visit {
  const tree* of;
  node at;
};

std::uint64_t count_below(const visit& parent) noexcept;

struct children {
  const visit* parent;
  std::uint32_t first;
  std::uint32_t last;

  [[nodiscard]] bool is_one() const { return first == last; }
  [[nodiscard]] children without_first() const { return {parent, first + 1, last}; }
  [[nodiscard]] std::uint64_t run_first() const noexcept { return count_below({parent->of, child(parent->at, first)}); }
};

std::uint64_t count_below(const visit& parent) noexcept {
  std::uint32_t const count = count_children(*parent.of, parent.at);
  return count == 0 ? 1 : 1 + fork_children(children{&parent, 0, count - 1});
}

}  // namespace

std::uint64_t count_fork(const tree& tree) { return count_below({&tree, root(tree)}); }

}  // namespace bench::uts
