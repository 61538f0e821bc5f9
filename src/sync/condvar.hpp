// A condition variable. Waiters are woken in the order of their coming, never without a signal.
//
// A waiter enters the queue before it gives the mutex up, so that no signal given under the mutex
// can miss it.
#pragma once

#include <cstdint>

#include "base/status.hpp"
#include "queue/spinlock.hpp"
#include "sync/mutex.hpp"
#include "sync/waiters.hpp"

namespace weft::sync {

inline constexpr sched::call_errors cond_waiting{"weft_cond_wait", "cond"};

class condvar {
 public:
  // The caller holds *held; so it does afterwards, whatever is returned. Errors: timeout,
  // cannot_block, not_owner. Names its failures but the timeout, as those of weft_cond_wait.
  status wait(mutex* held, std::uint64_t deadline_ns);
  // Waits for a signal; of a mutex the awaiter knows nothing.
  sched::armed_as await(sched::await_record* one);
  void signal();
  void broadcast();
  bool has_waiters() const { return !queue_.seems_empty(); }

 private:
  static void leave(sched::await_record* one);

  queue::spinlock lock_;
  wait_queue queue_;  // guarded by lock_
};

}  // namespace weft::sync
