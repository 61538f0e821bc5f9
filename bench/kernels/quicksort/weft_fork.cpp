#include <weft/fork.hpp>

#include "kernels/quicksort/quicksort.hpp"

namespace bench::quicksort {

namespace {

template <std::size_t Cutoff>
std::uint64_t sort(segment segment) noexcept {
  if (segment.count <= Cutoff) {
    sort_rest<Cutoff>(segment);
    return 1;
  }
  halves const parts = partition(segment);
  auto low = weft::fork([part = parts.low] { return sort<Cutoff>(part); });
  std::uint64_t const units = sort<Cutoff>(parts.high);
  return low.join() + units;
}

}  // namespace

kernel_run run_fork(const kernel_input& input, stopwatch& watch) { return run<sort<cutoff>>(input, watch); }
kernel_run run_fork_every(const kernel_input& input, stopwatch& watch) { return run<sort<no_cutoff>>(input, watch); }

}  // namespace bench::quicksort
