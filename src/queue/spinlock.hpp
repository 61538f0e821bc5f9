// A lock for critical sections of a few instructions. It may be held across a context switch (the
// next context of the same OS thread then releases it), never across anything that waits.
//
// Waiters spin on a plain load; after `patience` rounds they give their CPU away, so that a
// preempted holder gets to run when there are more OS threads than CPUs. Zero-filled memory is an
// unlocked lock.
#pragma once

#include "arch/cpu.hpp"
#include "base/test_and_set_lock.hpp"
#include "os/alone.hpp"
#include "os/thread.hpp"

namespace weft::queue {

class spinlock {
 public:
  bool try_lock() { return os::is_alone() ? word_.try_lock_alone() : word_.try_lock(); }

  // For a caller that has other things to do than to take the holder's line: racy.
  bool seems_held() const { return word_.seems_held(); }

  void lock() {
    if (!try_lock()) lock_slow();
  }

  void unlock() { word_.unlock(); }

 private:
  static constexpr unsigned patience = 100;

  [[gnu::noinline]] void lock_slow() {
    do {
      word_.wait([](unsigned round) { round < patience ? arch::pause() : os::yield_cpu(); });
    } while (!try_lock());
  }

  base::test_and_set_lock word_;
};

// Holds a spinlock for a block in which no switch happens.
using guard = base::guard<spinlock>;

}  // namespace weft::queue
