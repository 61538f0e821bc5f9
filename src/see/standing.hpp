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
// A lock that another OS thread holds is not told: its holder may go on.
//
// A look compares with the look before: the worker has stood still if it is in the same unit, has
// made no choice, and its OS thread waits in the same futex and has not been awake in between.
// Fields of the worker are read without order: a value out of date makes it look once more.
#pragma once

#include <cstdint>

#include "see/report.hpp"
#include "worker/hooks.hpp"

namespace weft::sched {

struct runtime;
struct worker;

// Where a worker was found; the same again means that it never left. A unit that ended here counts
// as leaving, for joins run their threads without a choice; so does having been idle, from which
// the same thread may come back.
struct place {
  const unit* in = nullptr;  // null: it chooses or idles
  std::int32_t turns_left = 0;
  std::uint64_t finished = 0;
  std::uint64_t times_idle = 0;

  bool operator==(const place&) const = default;
};

place place_of(const worker* w);

// Ready units that only w is sure to run. At least that many: those that no thief may take are
// counted as one. Takes a lock.
unsigned waiting_behind(const worker* w);

// Whether there may be one; also by a signal handler that interrupted w, wherever that was.
bool may_wait_behind(const worker* w);

// A wait without a deadline of a worker's OS thread.
struct futex_wait {
  std::uintptr_t word;
  std::uintptr_t value;
  std::uint64_t waits;  // of the OS thread so far: the same number twice is the same wait
};

struct standing {
  place where;
  futex_wait wait = {};
  std::uint64_t since_ns = 0;
  bool is_told = false;
};

// A worker that has stood still for so long is told.
inline constexpr std::uint64_t longest_standing_ns = 1'000'000'000;

// Looks at w, which waits as `now` says (null: it does not). True: something was told.
bool look_at_standing(const worker* w, standing* known, const futex_wait* now, std::uint64_t now_ns, names how);

// The line with the cure for waits of OS threads.
text& tell_cure_of_waits(text& out, const char* before);

}  // namespace weft::sched
