// Cilksort over the global heap of ranks (weft/global.hpp).
#pragma once

#include <weft/dist.h>
#include <weft/global.hpp>

#include "kernels/cilksort/by_value.hpp"

namespace bench::cilksort {

struct global_memory {
  using address = weft::dist::global<value>;

  static void get(address from, std::span<value> into) { weft::dist::get(from, into); }
  static void put(std::span<const value> from, address into) { weft::dist::put(from, into); }
};

inline weft::dist::global<value> make_global_array(std::size_t count) {
  weft_global made = 0;
  weft::detail::check(weft_global_array(count, sizeof(value), &made), "weft_global_array");
  return weft::dist::global<value>(made);
}

// On each rank, outside a root. Each sets its own block. The arrays of an earlier size are freed;
// the last ones stay until the end, since ranks free arrays together, and exit one by one.
inline void make_global_arrays(const kernel_input& input) {
  arrays<global_memory>& all = own_arrays<global_memory>;
  if (all.values) {
    (void)weft_global_array_free(all.scratch.address());
    (void)weft_global_array_free(all.values.address());
  }
  const auto count = static_cast<std::size_t>(input.size);
  all = {make_global_array(count), make_global_array(count)};
  const std::unique_ptr<value[]> from = sorting::make_values(count);
  for (std::size_t index = 0; index != count;) {
    const auto at = all.values[static_cast<std::ptrdiff_t>(index)];
    const std::size_t block = at.run();
    if (at.rank() == weft_dist_rank()) weft::dist::put(std::span<const value>(from.get() + index, block), at);
    index += block;
  }
}

template <class Way>
constexpr by_value_kernel over_global_heap{&cilksort, make_global_arrays, run_by_value<Way, global_memory>};

}  // namespace bench::cilksort
