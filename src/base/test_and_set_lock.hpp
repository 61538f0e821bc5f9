// The word of a spinlock: test and test-and-set, protocol S. How a waiter passes the time depends
// on where the lock lies, so the caller says it: queue::spinlock and the faces yield the CPU after
// a while, ranks of dist pause. Zero-filled memory is an unlocked lock.
#pragma once

#include <cstdint>

#include "base/atomic.hpp"

namespace weft::base {

class test_and_set_lock {
 public:
  bool try_lock() {
    std::uint32_t expected = 0;
    // [S1] acquire: sees what the last holder wrote; pairs with [S2]
    return word_.compare_exchange_strong(expected, 1, base::acquire, base::relaxed);
  }

  // For a process with one OS thread: without a locked instruction.
  bool try_lock_alone() {
    if (word_.load(base::relaxed) != 0) return false;
    word_.store(1, base::relaxed);
    return true;
  }

  // For a caller that has other things to do than to take the holder's line: racy.
  bool seems_held() const { return word_.load(base::relaxed) != 0; }

  // pass(round) passes the time, round after round, until the lock seems free.
  template <class Pass>
  void lock(Pass pass) {
    while (!try_lock()) wait(pass);
  }
  template <class Pass>
  void wait(Pass pass) const {
    for (unsigned round = 0; seems_held(); ++round) pass(round);
  }

  // [S2] release: publishes what this holder wrote; pairs with [S1]
  void unlock() { word_.store(0, base::release); }

 private:
  base::atomic<std::uint32_t> word_{0};
};

// Holds a lock for a block.
template <class Lock>
class guard {
 public:
  explicit guard(Lock& lock) : lock_(lock) { lock_.lock(); }
  ~guard() { lock_.unlock(); }
  guard(const guard&) = delete;
  guard& operator=(const guard&) = delete;

 private:
  Lock& lock_;
};

}  // namespace weft::base
