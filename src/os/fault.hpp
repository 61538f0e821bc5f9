// The fault seam: every call of the system that the core makes and that can fail (enum call), and its use of the heap, ask here first
// whether a test wants them to fail. Called from any OS thread, also in a signal handler.
//
// Not asked: calls that cannot fail with the arguments that they are given (clock_gettime, gettid, sched_yield, close), those that
// repeat themselves for ever by contract (clock_nanosleep), joining an OS thread (its failure is a mistake of ours, and ends the
// program), tgkill (which only misses an OS thread that has ended), and what is done while the program dies of a signal, where nothing else is left to try.
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
  munmap,
  madvise,
  mprotect,
  thread_start,
  thread_stack,  // where the calling OS thread's stack lies: pthread_getattr_np
  thread_key,    // pthread_key_create
  futex_wait,
  futex_wake,
  membarrier,
  affinity,  // sched_getaffinity, sched_setaffinity
  open,      // of files and folders
  read,
  write,  // to files; a message on stderr has nobody to be told to
  peek,   // process_vm_readv
  getrandom,
  io_uring,
  sigaction,
  sigaltstack,
  load_library,  // dlopen
  heap,
};
inline constexpr unsigned call_count = 21;

namespace fault {

enum class repeat : std::uint8_t { once, for_ever };

// Fails occurrence `nth` of `which` (from 1), or from it on; nth 0 fails nothing and only counts. One plan serves one body; seen
// tells afterwards how often each call was made, failed how many of them the plan made fail.
struct plan {
  call which = call::mmap;
  std::uint32_t nth = 0;
  repeat how = repeat::once;
  base::atomic<std::uint32_t> seen[call_count] = {};
  base::atomic<std::uint32_t> failed{0};
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
