// UTS over harness/by_value.hpp: the children of a node are halved until one is left. What
// describes the tree is each process's own.
#pragma once

#include "harness/by_value.hpp"
#include "kernels/uts/uts.hpp"

namespace bench::uts {

struct siblings {
  node parent;
  std::uint32_t first;
  std::uint32_t last;

  [[nodiscard]] bool is_one() const { return first == last; }
  siblings take_later_half() {
    siblings half = *this;
    last = first + (last - first) / 2;
    half.first = last + 1;
    return half;
  }
};

template <class Way>
std::uint64_t count_below_by_value(const node& at) noexcept;

template <class Way>
std::uint64_t count_siblings_by_value(siblings of) noexcept {
  if (of.is_one()) return count_below_by_value<Way>(child(of.parent, of.first));
  siblings const later = of.take_later_half();
  return Way::sum([of] { return count_siblings_by_value<Way>(of); }, [later] { return count_siblings_by_value<Way>(later); });
}

template <class Way>
std::uint64_t count_below_by_value(const node& at) noexcept {
  std::uint32_t const children = count_children(*own_input<tree>, at);
  return children == 0 ? 1 : 1 + count_siblings_by_value<Way>({at, 0, children - 1});
}

template <tree_maker Make>
void make_tree(const kernel_input& input) {
  own_input<tree>.emplace(Make(input.size));
}

template <class Way>
kernel_run run_by_value(const kernel_input&, stopwatch& watch) {
  watch.start();
  std::uint64_t const nodes = count_below_by_value<Way>(root(*own_input<tree>));
  watch.stop();
  return {nodes, nodes, {}};
}

template <class Way>
constexpr by_value_kernel t1_by_value{&t1, make_tree<make_t1>, run_by_value<Way>};
template <class Way>
constexpr by_value_kernel t1l_by_value{&t1l, make_tree<make_t1l>, run_by_value<Way>};
template <class Way>
constexpr by_value_kernel t3_by_value{&t3, make_tree<make_t3>, run_by_value<Way>};

}  // namespace bench::uts
