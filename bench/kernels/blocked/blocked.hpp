// A great many threads blocked at the same time: every thread waits for one event; when all are
// blocked, and were seen to be, the event is set, and all of them add their number to the sum.
// There is no sequential variant: it would be a loop over numbers. units: threads. The size is
// scaled down to the memory that is available, and the record says so.
#pragma once

#include "harness/kernel.hpp"

namespace bench::blocked {

// What a blocked thread may take: one page of stack, its descriptor, its handle, its share of page
// tables, and a reserve.
inline constexpr std::uint64_t bytes_per_thread = 6144;

kernel_run run_ult(const kernel_input& input, stopwatch& watch);

extern const kernel blocked;

}  // namespace bench::blocked
