// Times of records: the cycle counter where the kernel itself keeps time by it, so that it runs
// evenly and alike on all CPUs; otherwise the monotonic clock.
#pragma once

#include <cstdint>

#include "arch/cpu.hpp"
#include "os/clock.hpp"

namespace weft::trace {

class clock {
 public:
  void start();

  std::uint64_t stamp() const { return uses_cycles_ ? arch::cycles() : os::now_ns(); }

  // Measures how long a cycle is; before to_ns.
  void calibrate();
  // Since start; never decreasing in `stamp`.
  std::uint64_t to_ns(std::uint64_t stamp) const {
    return stamp > first_stamp_ ? static_cast<std::uint64_t>(static_cast<double>(stamp - first_stamp_) * ns_a_step_) : 0;
  }

  // Of so many steps.
  std::uint64_t length_ns(double steps) const { return static_cast<std::uint64_t>(steps * ns_a_step_); }

  std::uint64_t first() const { return first_stamp_; }
  bool uses_cycles() const { return uses_cycles_; }

 private:
  bool uses_cycles_ = false;
  std::uint64_t first_stamp_ = 0;
  std::uint64_t first_ns_ = 0;
  double ns_a_step_ = 1;
};

}  // namespace weft::trace
