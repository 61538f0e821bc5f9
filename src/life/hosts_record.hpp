// The record of spare OS threads and of the region guard: what hosts.cpp and region_guard.cpp
// share.
#pragma once

#include "base/atomic.hpp"
#include "life/hosts.hpp"
#include "os/thread.hpp"
#include "queue/spinlock.hpp"

namespace weft::sched {

inline constexpr unsigned places_of_calls = 256;

struct hosts {
  // In the frame of a spare OS thread that waits.
  struct spare {
    spare* next = nullptr;
    bool is_listed = true;
    assignment given{};
    base::atomic<std::uint32_t> is_called{0};  // futex
  };

  runtime* rt = nullptr;
  queue::spinlock lock;
  // guarded by lock
  spare* idle = nullptr;
  unsigned spare_count = 0;              // OS threads that there are beside one a worker, those in regions included
  unsigned starting_count = 0;           // of which, not waiting yet
  blocking_call* given_ahead = nullptr;  // their workers are for the next that come to wait; by next_claim
  unsigned given_ahead_count = 0;        // at most starting_count when one is added
  bool guard_counts_on_one = false;      // on one that starts: when it waits, it is the guard's alone
  bool lacks_some = false;               // the region guard found none for a worker; it alone writes
  bool is_stopping = false;
  bool has_ended_one = false;
  os::os_thread ended;  // the last OS thread that ended; it joins the one before

  bool has_told = false;                                    // the region guard's
  os::os_thread guard;                                      // the region guard
  base::atomic<std::uint32_t> is_awake{1};                  // futex: the region guard looks at the workers
  base::atomic<bool> must_stop{false};                      // the region guard
  base::atomic<std::uint8_t> blocks[places_of_calls] = {};  // by place of the call: the last one lasted long
};

// Null: none waits. It is called out, or put back.
hosts::spare* take_idle(hosts* all);
void put_back(hosts* all, hosts::spare* one);
// After this its frame may be gone.
void call_out(hosts::spare* one, assignment given);

// To one that waits, or to one that starts. Pre: guard_counts_on_one, which ends.
void give_ahead(hosts* all, blocking_call* call);

// The whole of the region guard's OS thread; given: the hosts.
inline constexpr std::size_t region_guard_stack_bytes = 64 * 1024;
void* guard_regions(void* given);

}  // namespace weft::sched
