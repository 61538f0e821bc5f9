#include "harness/must.hpp"
#include "kernels/quicksort/quicksort.hpp"

namespace bench::quicksort {

namespace {

struct sorting {
  segment part;
  std::uint64_t units;
};

void run_sorting(void* argument);

std::uint64_t sort(const segment& segment) {
  if (segment.count <= cutoff) {
    sort_small(segment);
    return 1;
  }
  halves const parts = partition(segment);
  sorting low{parts.low, 0};
  weft_thread* const thread = create(run_sorting, &low);
  std::uint64_t const units = sort(parts.high);
  join(thread);
  return units + low.units;
}

void run_sorting(void* argument) {
  auto* const self = static_cast<sorting*>(argument);
  self->units = sort(self->part);
}

}  // namespace

kernel_run run_ult(const kernel_input& input, stopwatch& watch) {
  auto const count = static_cast<std::size_t>(input.size);
  std::unique_ptr<value[]> const values = make_values(count);
  watch.start();
  std::uint64_t const units = sort({values.get(), count});
  watch.stop();
  return {digest_sorted(values.get(), count), units, {}};
}

}  // namespace bench::quicksort
