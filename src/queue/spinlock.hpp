// A lock for critical sections of a few instructions. It may be held across a context switch (the
// next context of the same OS thread then releases it), never across anything that waits.
//
// Waiters spin on a plain load; after `patience` rounds they give their CPU away, so that a
// preempted holder gets to run when there are more OS threads than CPUs. Zero-filled memory is an
// unlocked lock.
#pragma once

#include <cstdint>

#include "arch/cpu.hpp"
#include "base/atomic.hpp"
#include "os/alone.hpp"
#include "os/thread.hpp"

namespace weft::queue {

class spinlock {
 public:
  bool try_lock() {
    if (os::is_alone()) return try_lock_alone();
    std::uint32_t expected = 0;
    // [S1] acquire: sees what the last holder wrote; pairs with [S2]
    return word_.compare_exchange_strong(expected, 1, base::acquire, base::relaxed);
  }

  // For a caller that has other things to do than to take the holder's line: racy.
  bool seems_held() const { return word_.load(base::relaxed) != 0; }

  void lock() {
    if (!try_lock()) lock_slow();
  }

  // [S2] release: publishes what this holder wrote; pairs with [S1]
  void unlock() { word_.store(0, base::release); }

 private:
  static constexpr int patience = 100;

  bool try_lock_alone() {
    if (word_.load(base::relaxed) != 0) return false;
    word_.store(1, base::relaxed);
    return true;
  }

  [[gnu::noinline]] void lock_slow() {
    do {
      for (int round = 0; word_.load(base::relaxed) != 0; ++round) {
        if (round < patience) {
          arch::pause();
        } else {
          os::yield_cpu();
        }
      }
    } while (!try_lock());
  }

  base::atomic<std::uint32_t> word_{0};
};

// Holds a spinlock for a block in which no switch happens.
class guard {
 public:
  explicit guard(spinlock& lock) : lock_(lock) { lock_.lock(); }
  ~guard() { lock_.unlock(); }
  guard(const guard&) = delete;
  guard& operator=(const guard&) = delete;

 private:
  spinlock& lock_;
};

}  // namespace weft::queue
