// A lock for a few instructions, which never switches: also where the caller has no identity, as in
// the core's callbacks.
#pragma once

#include <sched.h>

#include <weft_abt/atomic.hpp>

namespace weft::abt {

class spinlock {
 public:
  void lock() {
    // [Z1] acquire: sees what earlier holders wrote; pairs with [Z2]
    while (is_taken_.exchange(true, std::memory_order_acquire)) wait();
  }
  // [Z2] release: what the holder wrote; pairs with [Z1]
  void unlock() { is_taken_.store(false, std::memory_order_release); }

 private:
  void wait() const {
    for (int look = 0; is_taken_.load(std::memory_order_relaxed); ++look) {
      if (look == looks_before_yield) {
        sched_yield();
        look = 0;
      }
      spin_hint();
    }
  }

  static constexpr int looks_before_yield = 200;
  atomic<bool> is_taken_{false};
};

class guard {
 public:
  explicit guard(spinlock& what) : what_(what) { what_.lock(); }
  ~guard() { what_.unlock(); }
  guard(const guard&) = delete;
  guard& operator=(const guard&) = delete;

 private:
  spinlock& what_;
};

}  // namespace weft::abt
