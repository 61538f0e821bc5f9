// The costs of the machine, read from a file of lines "name value" (tests/many/costs). A name that
// is missing, unknown or given twice and a value that is negative or no number end the program with
// a message that names file, line and cure.
#pragma once

#include <cstdint>

namespace many {

using picoseconds = std::uint64_t;

struct costs {
  picoseconds access, call;
  double sibling;  // a factor, at least 1
  picoseconds transfer, transfer_far, shared, shared_far, memory, memory_far, invalidate, hold;
  std::uint32_t own_lines;  // a power of two
  picoseconds store_buffer;
  picoseconds read_modify_write, fence, pause, clock, clock_coarse, cycle_counter, allocation;
  picoseconds system_call, yield, wake_call, wake_latency, switch_, slice, timer_slack, thread_start, thread_latency;
  picoseconds membarrier_alone, membarrier, membarrier_more, membarrier_stop;
  picoseconds mm_call, page_fault;
  picoseconds run_ahead;
};

// `changes`: "name=value,name=value" in the place of the file's values; null or empty: none.
costs read_costs(const char* path, const char* changes);

// Ends the process with exit status 2 and "many: " before the message.
[[noreturn, gnu::format(printf, 1, 2)]] void refuse(const char* format, ...);

}  // namespace many
