#include <lace.h>

#include "kernels/lace.hpp"
#include "kernels/quicksort/quicksort.hpp"

namespace bench::quicksort {

TASK_2(std::uint64_t, sort_above_cutoff, value*, first, std::size_t, count) {
  if (count <= cutoff) {
    sort_rest<cutoff>({first, count});
    return 1;
  }
  halves const parts = partition({first, count});
  SPAWN(sort_above_cutoff, parts.low.first, parts.low.count);
  std::uint64_t const units = CALL(sort_above_cutoff, parts.high.first, parts.high.count);
  return SYNC(sort_above_cutoff) + units;
}

TASK_2(std::uint64_t, sort_every, value*, first, std::size_t, count) {
  if (count <= no_cutoff) return 1;
  halves const parts = partition({first, count});
  SPAWN(sort_every, parts.low.first, parts.low.count);
  std::uint64_t const units = CALL(sort_every, parts.high.first, parts.high.count);
  return SYNC(sort_every) + units;
}

static std::uint64_t start_above_cutoff(segment whole) { return RUN(sort_above_cutoff, whole.first, whole.count); }
static std::uint64_t start_every(segment whole) { return RUN(sort_every, whole.first, whole.count); }

kernel_run run_lace(const kernel_input& input, stopwatch& watch) { return run<start_above_cutoff>(input, watch); }
kernel_run run_lace_every(const kernel_input& input, stopwatch& watch) { return run<start_every>(input, watch); }

}  // namespace bench::quicksort
