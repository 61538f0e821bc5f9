// A lock for a few instructions, whose holder never switches: also for callers without an identity,
// as in the core's callbacks. Protocol S, docs/protocols/S.md.
#pragma once

#include <sched.h>

#include "arch/cpu.hpp"
#include "base/test_and_set_lock.hpp"

namespace weft::face {

class spinlock {
 public:
  void lock() { word_.lock(pass); }
  void unlock() { word_.unlock(); }

 private:
  static constexpr unsigned rounds_before_yield = 200;

  static void pass(unsigned round) {
    if (round % rounds_before_yield == rounds_before_yield - 1) sched_yield();
    arch::pause();
  }

  base::test_and_set_lock word_;
};

// Holds a spinlock for a block.
using guard = base::guard<spinlock>;

}  // namespace weft::face
