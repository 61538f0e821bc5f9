// Workers that stand still: where a worker was found, what waits behind it, and what is said about
// one whose OS thread waits in the kernel for another OS thread. Used by the OS thread of the
// watchdog and by the timer signal of a lone worker (lookout.hpp).
//
// A wait in the kernel's futex without a deadline ends when another OS thread ends it, and by
// nothing else. It is called
//   - a standstill, if the futex is a lock (std::mutex, pthread_mutex_t) that the waiting OS thread
//     itself has taken, and no unit that may have taken it can run on another worker;
//   - a possible standstill, if the lock is the OS thread's own, but such a unit exists; or if the
//     futex has no owner (a condition, a semaphore, the end of an OS thread) and ready units wait
//     for this worker, one of which may be the one to end the wait.
// A lock that another OS thread holds is told only if that is the OS thread of a worker that is in
// no unit: a unit took it there, and waits or went on elsewhere. It is a standstill if all other
// units that have begun wait for the end of the one that waits for the lock, else a possible one.
//
// A wait in another call of the kernel, such as read, ends when something outside of the process
// ends it, or a unit that waits for this worker: it is called a possible standstill after a longer
// time, if ready units wait for this worker. A sleep (nanosleep) is told by the library with checks
// alone, and a wait with a deadline in a futex is not told.
//
// What the watchdog has told of the same wait (WEFT_WATCHDOG) is not told again, unless more is
// known here: a lock that was left on another worker, or a standstill at which the program is to
// abort.
//
// A look compares with the look before: the worker has stood still if it is in the same unit, has
// made no choice, and its OS thread waits in the same futex and has not been awake in between.
// Fields of the worker are read without order: a value out of date makes it look once more.
#pragma once

#include <cstdint>

#include "base/config.hpp"
#include "see/report.hpp"
#include "worker/find_whereabouts.hpp"
#include "worker/hooks.hpp"

namespace weft::sched {

struct runtime;
struct worker;

// Ready units that only w is sure to run. At least that many: those that no thief may take are
// counted as one. Takes a lock.
unsigned waiting_behind(const worker* w);

// Whether there may be one; also by a signal handler that interrupted w, wherever that was.
bool may_wait_behind(const worker* w);

// A wait of a worker's OS thread in the kernel.
struct kernel_wait {
  std::uintptr_t word;   // a futex's, or the call's first argument
  std::uintptr_t value;  // the call's third argument
  std::uint64_t waits;   // of the OS thread so far: the same number twice is the same wait
  long call = -1;        // -1: in a futex without a deadline
};

struct standing {
  whereabouts where;
  kernel_wait wait = {};
  std::uint64_t since_ns = 0;
  bool is_told = false;      // or nothing is to be told of it
  bool is_reported = false;  // it was
};

// A worker that has stood still for so long is told.
inline constexpr std::uint64_t longest_standing_ns = 1'000'000'000;
// In a call that is none of a futex's. The library with checks looks for those that should be in a
// blocking region.
inline constexpr std::uint64_t longest_call_ns = config::checked ? longest_standing_ns : 10'000'000'000;

// Whether a wait in that call is told once it is that long.
bool is_told_of_call(long call);

struct look_from {
  std::uint64_t now_ns;
  const void* context = nullptr;         // in a signal handler that interrupted w: its third argument
  bool is_told_by_the_watchdog = false;  // of the same call
};

// Looks at w, which waits as `now` says (null: it does not). True: something was told.
bool look_at_standing(const worker* w, standing* known, const kernel_wait* now, const look_from& from);

// The line with the cure for waits of OS threads.
text& tell_cure_of_waits(text& out, const char* before);

}  // namespace weft::sched
