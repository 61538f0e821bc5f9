// The stack of a thread whose wait has ended is used again at once: a waker that comes late to the
// record of that wait, which lay in the frame of the call, then races with what is written here.
#pragma once

#include <cstring>

#include "explorer/explorer.hpp"

namespace explorer {

inline constexpr int bytes_of_dead_frames = 1024;

// After a call that waited has returned, from the function that made the call.
[[gnu::noinline]] inline void reuse_frames() {
  unsigned char frames[bytes_of_dead_frames];
  std::memset(frames, 0xaa, sizeof frames);
  asm volatile("" : : "r"(frames) : "memory");
}

}  // namespace explorer
