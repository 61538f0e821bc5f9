// What the sorting kernels share: the integers that they sort, how short pieces are sorted, and how
// the answer is checked.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "harness/kernel.hpp"

namespace bench::sorting {

using value = std::int32_t;

inline constexpr std::size_t insertion_cutoff = 24;

struct segment {
  value* first;
  std::size_t count;
};

void sort_insertion(const segment& segment);

std::unique_ptr<value[]> make_values(std::size_t count);
// A digest of the order: the same for equal sequences only. Zero for a sequence that is not sorted.
std::uint64_t digest_sorted(const value* values, std::size_t count);
// The digest of what std::sort makes of them.
std::uint64_t expected(const kernel_input& input);

}  // namespace bench::sorting
