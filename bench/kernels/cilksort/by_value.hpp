// Cilksort over harness/by_value.hpp and a Memory: what an address is, and copies of values from
// and to it. A piece that is sorted or merged sequentially is copied to the stack, worked on there,
// and copied back: one copy for each rank on which it lies.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <span>

#include "harness/by_value.hpp"
#include "kernels/cilksort/cilksort.hpp"
#include "kernels/sorting.hpp"

namespace bench::cilksort {

using sorting::value;

inline constexpr std::size_t most_in_piece = 4096, most_in_search = 1024;

// Of one process.
struct own_memory {
  using address = value*;

  static void get(const value* from, std::span<value> into) { std::copy_n(from, into.size(), into.data()); }
  static void put(std::span<const value> from, value* into) { std::copy_n(from.data(), from.size(), into); }
};

template <class Memory>
class pieces {
 public:
  using address = typename Memory::address;

  struct run {
    address first;
    std::size_t count;
  };

  static void sort(const run& whole, address into) {
    value values[most_in_piece];
    Memory::get(whole.first, std::span(values, whole.count));
    std::sort(values, values + whole.count);
    Memory::put(std::span<const value>(values, whole.count), into);
  }
  static void merge(const run& one, const run& other, address into) {
    value values[most_in_piece], merged[most_in_piece];
    Memory::get(one.first, std::span(values, one.count));
    Memory::get(other.first, std::span(values + one.count, other.count));
    value* const middle = values + one.count;
    value* const end = std::merge(values, middle, middle, middle + other.count, merged);
    Memory::put(std::span<const value>(merged, end), into);
  }
  // How many of the run are less than the value. The last steps are made in one copy: on another
  // node each look takes as long.
  static std::size_t count_less(const run& of, value than) {
    std::size_t low = 0, high = of.count;
    while (high - low > most_in_search) {
      const std::size_t middle = (low + high) / 2;
      if (value_at(of, middle) < than)
        low = middle + 1;
      else
        high = middle;
    }
    value left[most_in_search];
    Memory::get(of.first + static_cast<std::ptrdiff_t>(low), std::span(left, high - low));
    return low + static_cast<std::size_t>(std::lower_bound(left, left + (high - low), than) - left);
  }
  static value value_at(const run& of, std::size_t index) {
    value found = 0;
    Memory::get(of.first + static_cast<std::ptrdiff_t>(index), std::span(&found, 1));
    return found;
  }
};

template <class Way, class Memory>
std::uint64_t merge(typename pieces<Memory>::run longer, typename pieces<Memory>::run other,
                    typename Memory::address to) noexcept {
  if (longer.count + other.count <= most_in_piece) {
    pieces<Memory>::merge(longer, other, to);
    return 1;
  }
  if (longer.count < other.count) std::swap(longer, other);
  const std::size_t low = longer.count / 2;
  const std::size_t less = pieces<Memory>::count_less(other, pieces<Memory>::value_at(longer, low));
  const auto at = [](auto address, std::size_t count) { return address + static_cast<std::ptrdiff_t>(count); };
  using run = typename pieces<Memory>::run;
  return Way::sum([one = run{longer.first, low}, two = run{other.first, less}, to] { return merge<Way, Memory>(one, two, to); },
                  [one = run{at(longer.first, low), longer.count - low}, two = run{at(other.first, less), other.count - less},
                   to = at(to, low + less)] { return merge<Way, Memory>(one, two, to); });
}

// A bool would leave a fork bytes that are not set, and that may look like an address of the stack:
// the fork would stay in place.
using truth = std::uint64_t;

// Leaves the sorted values in the scratch memory, or where they were.
template <class Way, class Memory>
std::uint64_t sort(typename pieces<Memory>::run whole, typename Memory::address scratch, truth is_wanted_in_scratch) noexcept {
  if (whole.count <= most_in_piece) {
    pieces<Memory>::sort(whole, is_wanted_in_scratch != 0 ? scratch : whole.first);
    return 1;
  }
  using run = typename pieces<Memory>::run;
  const std::size_t half = whole.count / 2;
  const auto at = [half](auto address) { return address + static_cast<std::ptrdiff_t>(half); };
  const std::uint64_t pieces_sorted =
      Way::sum([low = run{whole.first, half}, scratch,
                is_wanted_in_scratch] { return sort<Way, Memory>(low, scratch, 1 - is_wanted_in_scratch); },
               [high = run{at(whole.first), whole.count - half}, scratch = at(scratch), is_wanted_in_scratch] {
                 return sort<Way, Memory>(high, scratch, 1 - is_wanted_in_scratch);
               });
  const auto from = is_wanted_in_scratch != 0 ? whole.first : scratch;
  const auto to = is_wanted_in_scratch != 0 ? scratch : whole.first;
  return pieces_sorted + merge<Way, Memory>({from, half}, {at(from), whole.count - half}, to);
}

// The values, as make_arrays has set them, and as much scratch memory. On ranks the same on each.
template <class Memory>
struct arrays {
  typename Memory::address values, scratch;
};
template <class Memory>
inline arrays<Memory> own_arrays;

inline void make_own_arrays(const kernel_input& input) {
  static std::unique_ptr<value[]> values, scratch;
  values = sorting::make_values(input.size);
  scratch = std::make_unique<value[]>(input.size);
  own_arrays<own_memory> = {values.get(), scratch.get()};
}

template <class Way, class Memory>
kernel_run run_by_value(const kernel_input& input, stopwatch& watch) {
  const auto count = static_cast<std::size_t>(input.size);
  watch.start();
  const std::uint64_t units = sort<Way, Memory>({own_arrays<Memory>.values, count}, own_arrays<Memory>.scratch, 0);
  watch.stop();
  const auto sorted = std::make_unique<value[]>(count);
  Memory::get(own_arrays<Memory>.values, std::span(sorted.get(), count));
  return {sorting::digest_sorted(sorted.get(), count), units, {}};
}

template <class Way>
constexpr by_value_kernel by_value{&cilksort, make_own_arrays, run_by_value<Way, own_memory>};

}  // namespace bench::cilksort
