// Quicksort over harness/children.hpp. Threads are those of the lower parts alone, as in
// weft_ult.cpp.
#pragma once

#include "harness/together.hpp"
#include "kernels/quicksort/quicksort.hpp"

namespace bench::quicksort {

template <class Way, std::size_t Cutoff>
std::uint64_t sort_by(segment segment) {
  if (segment.count <= Cutoff) {
    sort_rest<Cutoff>(segment);
    return 1;
  }
  halves const parts = partition(segment);
  std::uint64_t low = 0;
  std::uint64_t high = 0;
  Way::run_beside([&] { high = sort_by<Way, Cutoff>(parts.high); },
                  leaf_when<Way>(parts.low.count <= Cutoff, [&] { low = sort_by<Way, Cutoff>(parts.low); }));
  return low + high;
}

}  // namespace bench::quicksort
