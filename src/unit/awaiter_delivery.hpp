// Where the ready of awaiters is called: awaiter.hpp.
#pragma once

#include "base/atomic.hpp"
#include "base/linked_queue.hpp"

namespace weft::sched {

struct awaiter;

// Where an OS thread calls ready: a field of each worker, and a thread-local of others.
struct delivery {
  // Cancellers ask for it.
  base::atomic<awaiter*> running{nullptr};

  // ---- its own OS thread ----
  bool is_active = false;               // it calls them, one after the other
  const void* ready = nullptr;          // the one that runs; in checked builds
  base::linked_queue<awaiter> claimed;  // which it will call: claimed by a waker that has not got to them yet
  delivery* inner = nullptr;            // in which a canceller inside ready calls another

  delivery* next = nullptr;  // of those that are active and no worker's; guarded by the lock of their list
};

}  // namespace weft::sched
