#include "kernels/quicksort/quicksort.hpp"

namespace bench::quicksort {

namespace {

std::uint64_t sort(segment segment) {
  std::uint64_t units = 1;
  while (segment.count > cutoff) {
    halves const parts = partition(segment);
    units += sort(parts.low);
    segment = parts.high;
  }
  sort_small(segment);
  return units;
}

}  // namespace

kernel_run run_sequential(const kernel_input& input, stopwatch& watch) {
  auto const count = static_cast<std::size_t>(input.size);
  std::unique_ptr<value[]> const values = make_values(count);
  watch.start();
  std::uint64_t const units = sort({values.get(), count});
  watch.stop();
  return {digest_sorted(values.get(), count), units, {}};
}

}  // namespace bench::quicksort
