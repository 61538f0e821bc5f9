// The fault seam: every call of the system that the core makes and that can fail (enum call), and
// its use of the heap, ask here first whether a test wants them to fail. Called from any OS thread,
// also in a signal handler.
//
// Not asked (tools/lint/seam.py compares this list, and the functions behind each call of the
// enumeration, with what the library needs):
// - clock_gettime, getcontext, getpid, getppid, geteuid, SYS_gettid, sched_yield, sigprocmask,
//   sigdelset, getrlimit, sysconf, getauxval, pthread_self, pthread_attr_init,
//   pthread_attr_setstacksize, pthread_attr_getstack, pthread_attr_destroy: cannot fail with the
//   arguments that they are given
// - munlock: undoes a hint, which does no harm if it stays
// - close, closedir, dlclose, munmap in os/mapped_file.cpp, munmap in os/shared_memory.cpp: give
//   back a whole thing, which does no harm if it stays
// - dladdr, dlsym, dl_iterate_phdr: look in memory alone; that they find nothing is an answer
// - dlerror: returns words, or none
// - pthread_setname_np: a name is a courtesy
// - clock_nanosleep: is repeated for ever by contract
// - SYS_tgkill: misses an OS thread that has ended, and nothing else
// - pthread_join: its failure is a mistake of ours, and ends the program
// - write in base/assert.cpp: a failure of a message on stderr cannot be reported
// - kill, abort, raise, _exit, sigaction in see/overflow.cpp, sigaction in see/dump_signal.cpp: the
//   program dies, nothing else is left to try
// - SYS_timer_delete, unlinkat: give back a whole thing, which does no harm if it stays
// - dup2: onto a number below the limit; cannot fail
// - waitpid, sigtimedwait: fail when there is nothing to tell, which is an answer
// - getrusage: cannot fail for the calling OS thread
// - SYS_arch_prctl in arch/x86_64/context.hpp: asks for a feature; a failure is a no, as it is on
//   most machines
//
// Promises: without a plan the cost is one load of a pointer that never changes; with one, the
// chosen occurrence of the chosen call fails with the errno that the kernel would give, without
// having been made. The plan's pointer is the one piece of mutable global state below sched:
// docs/decisions/0003-fault-seam.md says why.
#pragma once

#include <cstdint>

#include "base/atomic.hpp"

namespace weft::os {

enum class call : std::uint8_t {
  mmap,
  munmap,
  madvise,  // madvise, SYS_process_madvise
  mincore,
  mprotect,
  thread_start,  // pthread_create
  thread_stack,  // pthread_getattr_np
  thread_key,    // pthread_key_create, pthread_setspecific
  callback,      // pthread_atfork, __cxa_atexit
  futex_wait,    // SYS_futex
  futex_wake,    // SYS_futex
  membarrier,    // SYS_membarrier
  affinity,      // sched_getaffinity, sched_setaffinity, SYS_sched_getscheduler, SYS_sched_getparam, SYS_sched_setscheduler
  open,          // open, openat, opendir
  read,          // read, readdir, readlink, fstat, fstatat
  write,         // write, ftruncate, fcntl, fchmod, renameat
  peek,          // process_vm_readv
  getrandom,
  io_uring,  // io_uring_setup
  sigaction,
  sigaltstack,
  timer,         // SYS_timer_create, SYS_timer_settime, prctl
  load_library,  // dlopen
  heap,          // calloc, realloc
  memory_file,   // memfd_create
  fork,
  parent_death,  // prctl
  lock_memory,   // mlock, SYS_mlock2
};
inline constexpr unsigned call_count = 28;

namespace fault {

enum class repeat : std::uint8_t { once, for_ever };

// Fails occurrence `nth` of `which` (from 1), or from it on; nth 0 fails nothing and only counts.
// One plan serves one body; seen tells afterwards how often each call was made, failed how many of
// them the plan made fail.
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
