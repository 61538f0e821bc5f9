#include "harness/must.hpp"
#include "kernels/quicksort/quicksort.hpp"

namespace bench::quicksort {

namespace {

struct sorting_of {
  segment part;
  std::uint64_t units;
};

template <std::size_t Cutoff>
void run_sorting(void* argument);

template <std::size_t Cutoff>
std::uint64_t sort(segment segment) {
  if (segment.count <= Cutoff) {
    sort_rest<Cutoff>(segment);
    return 1;
  }
  halves const parts = partition(segment);
  sorting_of low{parts.low, 0};
  weft_thread* const thread = create(run_sorting<Cutoff>, &low);
  std::uint64_t const units = sort<Cutoff>(parts.high);
  join(thread);
  return units + low.units;
}

template <std::size_t Cutoff>
void run_sorting(void* argument) {
  auto* const self = static_cast<sorting_of*>(argument);
  self->units = sort<Cutoff>(self->part);
}

}  // namespace

kernel_run run_ult(const kernel_input& input, stopwatch& watch) { return run<sort<cutoff>>(input, watch); }
kernel_run run_ult_every(const kernel_input& input, stopwatch& watch) { return run<sort<no_cutoff>>(input, watch); }

}  // namespace bench::quicksort
