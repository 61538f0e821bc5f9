// Monotonic time in nanoseconds. Callable from anywhere, signal handlers included.
#pragma once

#include <cstdint>

namespace weft::os {

std::uint64_t now_ns();                                 // CLOCK_MONOTONIC
std::uint64_t coarse_ns();                              // the same clock at the last tick: a few ns to read, up to 4 ms old
void sleep_until(std::uint64_t monotonic_deadline_ns);  // blocks the OS thread; signals do not shorten it

}  // namespace weft::os
