// Array comparison, as Tascell's sample program Comp does it: how many pairs of an element of one
// array and one of another are each other's complement, bit for bit. All pairs are looked at; the
// square of pairs is halved along its longer side until no side is longer than 4. Hiraishi, Yasugi,
// Umatani, Yuasa (2009), doi:10.1145/1504176.1504187. One half of a block is a plain call with
// tasks and forks. units: pairs.
#pragma once

#include <memory>

#include "harness/kernel.hpp"

namespace bench::comp {

using element = std::int32_t;
using number_of_elements = std::uint32_t;

inline constexpr number_of_elements most_in_leaf = 4;

// The pairs of these elements.
struct block {
  const element* one;
  const element* other;
  number_of_elements ones;
  number_of_elements others;

  [[nodiscard]] bool is_leaf() const { return ones <= most_in_leaf && others <= most_in_leaf; }
};

struct halves {
  block first;
  block second;
};

constexpr halves halve(const block& whole) {
  if (whole.ones >= whole.others) {
    number_of_elements const half = whole.ones / 2;
    return {{whole.one, whole.other, half, whole.others}, {whole.one + half, whole.other, whole.ones - half, whole.others}};
  }
  number_of_elements const half = whole.others / 2;
  return {{whole.one, whole.other, whole.ones, half}, {whole.one, whole.other + half, whole.ones, whole.others - half}};
}

constexpr std::uint64_t count_leaf(const block& leaf) {
  std::uint64_t count = 0;
  for (number_of_elements i = 0; i < leaf.ones; ++i) {
    for (number_of_elements j = 0; j < leaf.others; ++j) count += (leaf.one[i] ^ leaf.other[j]) == -1 ? 1 : 0;
  }
  return count;
}

// 0, 1, 2 … and 0, -1, -2 …: the complement of i is -(i + 1).
class arrays {
 public:
  explicit arrays(std::uint64_t size);
  [[nodiscard]] block all() const { return {ones_.get(), others_.get(), size_, size_}; }

 private:
  number_of_elements size_;
  std::unique_ptr<element[]> ones_;
  std::unique_ptr<element[]> others_;
};

// count(block): the pairs in it.
template <class Count>
kernel_run run(const kernel_input& input, stopwatch& watch, Count count) {
  arrays const of(input.size);
  watch.start();
  std::uint64_t const found = count(of.all());
  watch.stop();
  return {found, input.size * input.size, {}};
}

kernel_run run_sequential(const kernel_input& input, stopwatch& watch);
kernel_run run_ult(const kernel_input& input, stopwatch& watch);
kernel_run run_fork(const kernel_input& input, stopwatch& watch);
kernel_run run_tascell(const kernel_input& input, stopwatch& watch);
kernel_run run_tascell_library(const kernel_input& input, stopwatch& watch);

extern const kernel comp;

}  // namespace bench::comp
