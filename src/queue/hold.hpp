// A lock for sections that wait for the system: for an OS thread's start or end, for write(2), for
// a time. A caller that comes meanwhile sleeps. It belongs to the OS thread that took it; a holder
// that is a ULT must not switch. Zero-filled memory is an unlocked one.
#pragma once

#include <cstdint>

#include "base/atomic.hpp"
#include "os/futex.hpp"

namespace weft::queue {

class hold {
 public:
  bool try_lock() {
    std::uint32_t expected = is_free;
    // [S3] acquire: sees what the last holder wrote; pairs with [S5]
    return word_.compare_exchange_strong(expected, is_held, base::acquire, base::relaxed);
  }

  void lock() {
    if (try_lock()) return;
    // [S4] acquire: as [S3]; pairs with [S5]
    while (word_.exchange(is_wanted, base::acquire) != is_free) os::futex_wait(&word_, is_wanted);
  }

  void unlock() {
    // [S5] release: publishes what this holder wrote; pairs with [S3] [S4]
    if (word_.exchange(is_free, base::release) == is_wanted) os::futex_wake(&word_, 1);
  }

  // By the holder: whether another caller has come since.
  bool is_waited_for() const { return word_.load(base::relaxed) == is_wanted; }

 private:
  static constexpr std::uint32_t is_free = 0;
  static constexpr std::uint32_t is_held = 1;
  static constexpr std::uint32_t is_wanted = 2;  // held, and another caller may sleep

  base::atomic<std::uint32_t> word_{is_free};
};

}  // namespace weft::queue
