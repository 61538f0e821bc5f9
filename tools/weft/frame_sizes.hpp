// How much stack each function of a program or library takes for itself, as its unwind tables say
// (.eh_frame, read as the core's reports read it).
#pragma once

#include <cstdint>
#include <vector>

#include "elf_image.hpp"

namespace cli {

struct function_frame {
  std::uint64_t address;  // of the function, in the file
  std::uint64_t bytes;    // at most, with the return address where the call puts one
};

struct frame_sizes {
  std::vector<function_frame> known;  // largest first
  std::uint64_t function_count = 0;
  std::uint64_t unknown_count = 0;  // these count from another register, such as a frame pointer, or are damaged
  bool has_tables = false;
};

frame_sizes read_frame_sizes(const elf_image& image);

// Beneath a stack of Weft's, where WEFT_GUARD_SIZE does not say how large it is.
std::uint64_t smallest_guard_bytes();

}  // namespace cli
