// Quicksort of seeded 32-bit integers. The lower of the two parts of a segment longer than the
// cutoff is a thread or fork of its own in the parallel variants.
//   quicksort        segments up to 2048 are sorted by the same sequential code in all variants
//   quicksort-every  no cutoff: segments are parted down to one integer
// units: segments longer than the cutoff, plus one.
#pragma once

#include <algorithm>
#include <cstddef>

#include "harness/kernel.hpp"
#include "kernels/sorting.hpp"

namespace bench::quicksort {

using sorting::segment;
using sorting::value;

inline constexpr std::size_t cutoff = 2048;
inline constexpr std::size_t no_cutoff = 1;

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
  // Everything up to high is at most the pivot. When both ended on one pivot, it goes with the
  // lower part.
  auto split = static_cast<std::size_t>(high - whole.first) + 1;
  split = std::min(split, whole.count - 1);
  return {{whole.first, split}, {whole.first + split, whole.count - split}};
}

void sort_small(segment segment);  // sequentially, any length

// What is not parted any more.
template <std::size_t Cutoff>
void sort_rest(const segment& segment) {
  if constexpr (Cutoff > no_cutoff) sort_small(segment);
}

// Sort: sorts a segment and returns the units.
template <std::uint64_t (*Sort)(segment)>
kernel_run run(const kernel_input& input, stopwatch& watch) {
  auto const count = static_cast<std::size_t>(input.size);
  std::unique_ptr<value[]> const values = sorting::make_values(count);
  watch.start();
  std::uint64_t const units = Sort({values.get(), count});
  watch.stop();
  return {sorting::digest_sorted(values.get(), count), units, {}};
}

kernel_run run_sequential(const kernel_input& input, stopwatch& watch);
kernel_run run_sequential_every(const kernel_input& input, stopwatch& watch);
kernel_run run_ult(const kernel_input& input, stopwatch& watch);
kernel_run run_ult_every(const kernel_input& input, stopwatch& watch);
kernel_run run_fork(const kernel_input& input, stopwatch& watch);
kernel_run run_fork_every(const kernel_input& input, stopwatch& watch);

extern const kernel with_cutoff;
extern const kernel every_segment;

}  // namespace bench::quicksort
