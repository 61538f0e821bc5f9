// See clock.hpp.
#include "os/clock.hpp"

#include <errno.h>
#include <time.h>

namespace weft::os {
namespace {

constexpr std::uint64_t ns_per_second = 1'000'000'000;

std::uint64_t read(clockid_t clock) {
  timespec now;
  clock_gettime(clock, &now);  // cannot fail for these clocks
  return static_cast<std::uint64_t>(now.tv_sec) * ns_per_second + static_cast<std::uint64_t>(now.tv_nsec);
}

}  // namespace

std::uint64_t now_ns() { return read(CLOCK_MONOTONIC); }
std::uint64_t coarse_ns() { return read(CLOCK_MONOTONIC_COARSE); }

void sleep_until(std::uint64_t deadline) {
  timespec until;
  until.tv_sec = static_cast<time_t>(deadline / ns_per_second);
  until.tv_nsec = static_cast<long>(deadline % ns_per_second);
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, nullptr) == EINTR) {
  }
}

}  // namespace weft::os
