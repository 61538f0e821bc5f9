// Wall-clock and CPU time of the part of a kernel that counts. One start and one stop, or several
// pairs, which add up.
#pragma once

#include <time.h>

#include <cstdint>

namespace bench {

inline std::uint64_t read_clock_ns(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000U + static_cast<std::uint64_t>(now.tv_nsec);
}

class stopwatch {
 public:
  void start() {
    cpu_start_ns_ = read_clock_ns(CLOCK_PROCESS_CPUTIME_ID);
    wall_start_ns_ = read_clock_ns(CLOCK_MONOTONIC);
  }

  void stop() {
    wall_ns_ += read_clock_ns(CLOCK_MONOTONIC) - wall_start_ns_;
    cpu_ns_ += read_clock_ns(CLOCK_PROCESS_CPUTIME_ID) - cpu_start_ns_;
  }

  [[nodiscard]] double seconds() const { return static_cast<double>(wall_ns_) * 1e-9; }
  [[nodiscard]] double cpu_seconds() const { return static_cast<double>(cpu_ns_) * 1e-9; }

 private:
  std::uint64_t wall_start_ns_ = 0;
  std::uint64_t cpu_start_ns_ = 0;
  std::uint64_t wall_ns_ = 0;
  std::uint64_t cpu_ns_ = 0;
};

}  // namespace bench
