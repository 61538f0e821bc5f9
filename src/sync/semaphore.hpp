// A counting semaphore. First come first served: a release hands its units to those who wait, and only what is left is free for others.
#pragma once

#include <cstdint>

#include "base/status.hpp"
#include "queue/spinlock.hpp"
#include "sync/waiters.hpp"

namespace weft::sync {

class semaphore {
 public:
  // Errors: cannot_block, timeout.
  status acquire(std::uint64_t deadline_ns);
  // Errors: busy.
  status try_acquire();
  // Errors: invalid (more than 2^32-1 units).
  status release(std::uint32_t count);

 private:
  bool take();

  // guarded by lock_
  std::uint64_t free_ = 0;  // 0 while anybody waits
  queue::spinlock lock_;
  wait_queue queue_;
};

}  // namespace weft::sync
