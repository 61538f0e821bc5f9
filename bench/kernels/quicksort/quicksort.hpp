// Quicksort of seeded 32-bit integers. One of the two parts of a segment longer than the cutoff is a thread of its own in the parallel
// variants; shorter segments are sorted by the same code in all variants.
// units: segments longer than the cutoff, plus one.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>

#include "harness/kernel.hpp"

namespace bench::quicksort {

using value = std::int32_t;

inline constexpr std::size_t cutoff = 2048;
inline constexpr std::size_t insertion_cutoff = 24;

struct segment {
  value* first;
  std::size_t count;
};

struct halves {
  segment low;
  segment high;
};

inline value median(value a, value b, value c) { return std::max(std::min(a, b), std::min(std::max(a, b), c)); }

// Hoare's partition about the median of three. Neither part is empty for two values or more.
inline halves partition(const segment& whole) {
  value* low = whole.first;
  value* high = whole.first + whole.count - 1;
  value const pivot = median(*low, whole.first[whole.count / 2], *high);
  while (true) {
    while (*low < pivot) ++low;
    while (pivot < *high) --high;
    if (low >= high) break;
    std::swap(*low++, *high--);
  }
  // Everything up to high is at most the pivot. When both ended on one pivot, it goes with the lower part.
  auto split = static_cast<std::size_t>(high - whole.first) + 1;
  split = std::min(split, whole.count - 1);
  return {{whole.first, split}, {whole.first + split, whole.count - split}};
}

void sort_insertion(const segment& segment);
void sort_small(segment segment);  // sequentially, any length

kernel_run run_sequential(const kernel_input& input, stopwatch& watch);
kernel_run run_ult(const kernel_input& input, stopwatch& watch);

std::unique_ptr<value[]> make_values(std::size_t count);
// A digest of the order: the same for equal sequences only. Zero for a sequence that is not sorted.
std::uint64_t digest_sorted(const value* values, std::size_t count);

extern const kernel quicksort;

}  // namespace bench::quicksort
