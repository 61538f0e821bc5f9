#include "kernels/quicksort/quicksort.hpp"

namespace bench::quicksort {

namespace {

template <std::size_t Cutoff>
std::uint64_t sort(segment segment) {
  std::uint64_t units = 1;
  while (segment.count > Cutoff) {
    halves const parts = partition(segment);
    units += sort<Cutoff>(parts.low);
    segment = parts.high;
  }
  sort_rest<Cutoff>(segment);
  return units;
}

}  // namespace

kernel_run run_sequential(const kernel_input& input, stopwatch& watch) { return run<sort<cutoff>>(input, watch); }
kernel_run run_sequential_every(const kernel_input& input, stopwatch& watch) { return run<sort<no_cutoff>>(input, watch); }

}  // namespace bench::quicksort
