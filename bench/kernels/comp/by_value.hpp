// Array comparison over harness/by_value.hpp: a block is told by the indexes of its elements in the
// arrays, which are each process's own.
#pragma once

#include "harness/by_value.hpp"
#include "kernels/comp/comp.hpp"

namespace bench::comp {

struct block_of_indexes {
  number_of_elements one;
  number_of_elements other;
  number_of_elements ones;
  number_of_elements others;

  [[nodiscard]] bool is_leaf() const { return ones <= most_in_leaf && others <= most_in_leaf; }
  block_of_indexes take_later_half() {
    block_of_indexes half = *this;
    if (ones >= others) {
      ones /= 2;
      half.one += ones;
      half.ones -= ones;
    } else {
      others /= 2;
      half.other += others;
      half.others -= others;
    }
    return half;
  }
  [[nodiscard]] block in(const block& all) const { return {all.one + one, all.other + other, ones, others}; }
};

template <class Way>
std::uint64_t count_by_value(block_of_indexes of) noexcept {
  if (of.is_leaf()) return count_leaf(of.in(own_input<arrays>->all()));
  block_of_indexes const later = of.take_later_half();
  return Way::sum([of] { return count_by_value<Way>(of); }, [later] { return count_by_value<Way>(later); });
}

inline void make_arrays(const kernel_input& input) { own_input<arrays>.emplace(input.size); }

template <class Way>
kernel_run run_by_value(const kernel_input& input, stopwatch& watch) {
  auto const size = static_cast<number_of_elements>(input.size);
  watch.start();
  std::uint64_t const found = count_by_value<Way>({0, 0, size, size});
  watch.stop();
  return {found, input.size * input.size, {}};
}

template <class Way>
constexpr by_value_kernel by_value{&comp, make_arrays, run_by_value<Way>};

}  // namespace bench::comp
