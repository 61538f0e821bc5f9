// Sleeping on a word. Callable from any OS thread; wake also from a signal handler.
//
// Promises: a waiter whose word no longer holds `expected` does not sleep; waits may return for no
// reason, so callers look at their word again. A kernel that refuses to wake would leave a waiter
// asleep for ever: that ends the program with a named message.
#pragma once

#include <cstdint>

#include "base/atomic.hpp"

namespace weft::os {

void futex_wait(base::atomic<std::uint32_t>* word, std::uint32_t expected);

// False: the deadline (on the clock of now_ns(); UINT64_MAX never passes) is over.
bool futex_wait_until(base::atomic<std::uint32_t>* word, std::uint32_t expected, std::uint64_t monotonic_deadline_ns);

// Wakes up to count waiters of this process.
void futex_wake(base::atomic<std::uint32_t>* word, int count);

// The pair for a word in memory that several processes share (MAP_SHARED); it also serves waiters
// of one process, and costs the kernel a look at the mapping more.
void futex_wait_shared(base::atomic<std::uint32_t>* word, std::uint32_t expected);
void futex_wake_shared(base::atomic<std::uint32_t>* word, int count);

}  // namespace weft::os
