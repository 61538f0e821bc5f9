// The fault seam: the system calls of this layer that the runtime, its stacks and sleeping depend on (enum call), and its use of the
// heap, ask here first whether a test wants them to fail. Called from any OS thread.
//
// Promises: without a plan the cost is one load of a pointer that never changes; with one, the chosen occurrence of the chosen call
// fails with the errno that the kernel would give, without having been made. The plan's pointer is the one piece of mutable global
// state below sched: docs/decisions/0003-fault-seam.md says why.
#pragma once

#include <cstdint>

#include "base/atomic.hpp"

namespace weft::os {

enum class call : std::uint8_t {
  mmap,
  madvise,
  mprotect,
  thread_start,
  futex_wait,
  futex_wake,
  membarrier,
  open,
  heap,
};
inline constexpr unsigned call_count = 9;

namespace fault {

enum class repeat : std::uint8_t { once, for_ever };

// Fails occurrence `nth` of `which` (from 1), or from it on; nth 0 fails nothing and only counts. One plan serves one body; seen
// tells afterwards how often each call was made.
struct plan {
  call which = call::mmap;
  std::uint32_t nth = 0;
  repeat how = repeat::once;
  base::atomic<std::uint32_t> seen[call_count] = {};
};

// relaxed: a test installs its plan before it starts the OS threads that the plan is about.
extern constinit base::atomic<plan*> installed;

bool fails_by_plan(plan* active, call kind);

// True: the caller must act as if the system call had failed; errno is set.
inline bool fails(call kind) {
  plan* active = installed.load(base::relaxed);
  if (active == nullptr) [[likely]]
    return false;
  return fails_by_plan(active, kind);
}

const char* call_name(call kind);

}  // namespace fault
}  // namespace weft::os
