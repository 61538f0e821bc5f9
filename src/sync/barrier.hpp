// A barrier for a fixed number of callers, reusable: a caller that is released may enter the next
// round at once.
#pragma once

#include <cstdint>

#include "base/status.hpp"
#include "queue/spinlock.hpp"
#include "sync/waiters.hpp"

namespace weft::sync {

class barrier {
 public:
  // Errors: invalid (0 parties).
  status start(std::uint32_t parties);
  // *is_last is true for the one that completes the round. Errors: cannot_block, invalid (never
  // started).
  status wait(bool* is_last);

  // As wait; the value of the last one's record is 1, that of the others' 0. invalid: never
  // started.
  status await(sched::await_record* one, sched::armed_as* what);

 private:
  static void leave(sched::await_record* one);

  // guarded by lock_
  queue::spinlock lock_;
  std::uint32_t parties_ = 0;
  std::uint32_t arrived_ = 0;
  wait_queue queue_;
};

}  // namespace weft::sync
