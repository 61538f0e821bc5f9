// Memory of this process and of the machine, from /proc and the control group. Unknown figures are
// 0.
#pragma once

#include <cstdint>
#include <string_view>

#include "harness/kernel.hpp"

namespace bench {

struct process_memory {
  std::uint64_t resident_bytes = 0;
  std::uint64_t page_table_bytes = 0;
  std::uint64_t peak_resident_bytes = 0;
};

process_memory read_process_memory();

std::uint64_t machine_memory_bytes();
// What can still be taken without swapping or meeting the control group's limit.
std::uint64_t available_memory_bytes();

// For kernel::fit: the most up to `size` of what `word` names that leaves a quarter of the
// available memory free, at least 1. `bytes` says what a size needs, and grows with it.
fitted_size fit_to_memory(std::uint64_t size, std::string_view word, std::uint64_t (*bytes)(std::uint64_t size));

}  // namespace bench
