// Mergesort of seeded 32-bit integers, with merges that are parallel, too: a long one is cut at the
// middle of its longer run. Both halves of a segment, and both parts of a cut merge, are threads or
// forks in the parallel variants. units: segments, down to those that are sorted by insertion.
#pragma once

#include <algorithm>
#include <utility>

#include "harness/kernel.hpp"
#include "harness/together.hpp"
#include "kernels/sorting.hpp"

namespace bench::mergesort {

using sorting::segment;
using sorting::value;

inline constexpr std::size_t merge_cutoff = 4096;

constexpr std::uint64_t segments(std::size_t count) {
  return count <= sorting::insertion_cutoff ? 1 : 1 + segments(count / 2) + segments(count - count / 2);
}
static_assert(segments(24) == 1 && segments(49) == 5);

inline std::pair<segment, segment> cut(const segment& whole, std::size_t at) {
  return {{whole.first, at}, {whole.first + at, whole.count - at}};
}

template <class Together>
void merge(segment longer, segment other, value* to) noexcept {
  if (longer.count + other.count <= merge_cutoff) {
    std::merge(longer.first, longer.first + longer.count, other.first, other.first + other.count, to);
    return;
  }
  if (longer.count < other.count) std::swap(longer, other);
  std::size_t const middle = longer.count / 2;
  value* const place = std::lower_bound(other.first, other.first + other.count, longer.first[middle]);
  auto const [low, high] = cut(longer, middle);
  auto const [other_low, other_high] = cut(other, static_cast<std::size_t>(place - other.first));
  Together::run(
      leaf_when<Together>(low.count + other_low.count <= merge_cutoff,
                          [low, other_low, to] { merge<Together>(low, other_low, to); }),
      leaf_when<Together>(high.count + other_high.count <= merge_cutoff,
                          [high, other_high, to = to + low.count + other_low.count] { merge<Together>(high, other_high, to); }));
}

// Leaves the sorted values in the scratch memory, or where they were.
template <class Together>
void sort(const segment& whole, value* scratch, bool is_wanted_in_scratch) noexcept {
  if (whole.count <= sorting::insertion_cutoff) {
    sorting::sort_insertion(whole);
    if (is_wanted_in_scratch) std::copy_n(whole.first, whole.count, scratch);
    return;
  }
  std::size_t const half = whole.count / 2;
  auto const [low, high] = cut(whole, half);
  Together::run(
      leaf_when<Together>(low.count <= sorting::insertion_cutoff,
                          [&low, scratch, is_wanted_in_scratch] { sort<Together>(low, scratch, !is_wanted_in_scratch); }),
      leaf_when<Together>(high.count <= sorting::insertion_cutoff, [&high, scratch, half, is_wanted_in_scratch] {
        sort<Together>(high, scratch + half, !is_wanted_in_scratch);
      }));
  value* const from = is_wanted_in_scratch ? whole.first : scratch;
  value* const to = is_wanted_in_scratch ? scratch : whole.first;
  merge<Together>({from, half}, {from + half, whole.count - half}, to);
}

template <class Together>
kernel_run run(const kernel_input& input, stopwatch& watch) {
  auto const count = static_cast<std::size_t>(input.size);
  std::unique_ptr<value[]> const values = sorting::make_values(count);
  std::unique_ptr<value[]> const scratch = std::make_unique<value[]>(count);
  watch.start();
  sort<Together>({values.get(), count}, scratch.get(), false);
  watch.stop();
  return {sorting::digest_sorted(values.get(), count), segments(count), {}};
}

extern const kernel mergesort;

}  // namespace bench::mergesort
