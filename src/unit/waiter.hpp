// A wait: the record that a blocked ULT or OS thread leaves with its waker. It lives in the frame
// of the blocked call. Protocol P, docs/protocols/P.md.
//
//      waiting ----> woken          by the waker that took it from its list
//      waiting ----> timed_out      by the clock; only records with a deadline
//      timed_out --> dropped        by a waker that lost to the clock, if there is no list (joins)
//
// The caller that moves it out of `waiting` makes the ULT ready, exactly once. A waker that loses
// to the clock drops the record; it does so inside the lock of the list, which the waiter takes
// once more before its frame goes. Where there is no list the waker says so by `dropped`.
#pragma once

#include <cstdint>

#include "base/atomic.hpp"
#include "base/list.hpp"
#include "unit/timer.hpp"

namespace weft::sched {

struct unit;

inline constexpr std::uint64_t forever = UINT64_MAX;

// awaits: it is no thread's, but an awaiter's (awaiter.hpp), in whose word all is decided.
enum wait_word : std::uint32_t { waiting, woken, timed_out, dropped, awaits };

// The deadline of awaiters' records: wakers claim them as those with a deadline, inside the lock of
// the queue.
inline constexpr std::uint64_t never_but_claimed = forever - 1;

// What a record waits for whose object is the unit to be joined: known by its address.
inline constexpr char end_of_unit[] = "join";

// What the record waits for of a unit in a blocking region, whose worker another OS thread runs:
// the unit has no saved context.
inline constexpr char end_of_blocking_call[] = "the end of a blocking call";

struct waiter : base::list_link {
  waiter(const char* what_it_waits_for, const void* on) : what(what_it_waits_for), object(on) {}

  // set by the caller before it waits
  const char* what;                                      // for reports: "mutex", "condition", ...
  const void* object;                                    // what it waits on
  const base::atomic<std::uintptr_t>* holder = nullptr;  // `object`'s word that tells its holder
  std::uint8_t is_holder_address = 0;                    // ... by an address in its stack; a report may read anything here
  void* payload = nullptr;                               // the object's own
  std::uint64_t since_ns = 0;                            // coarse
  std::uint64_t deadline_ns = forever;

  // set once before the record is published
  unit* who = nullptr;  // null: an OS thread outside, asleep on `word`

  base::atomic<std::uint32_t> word{waiting};
  timer alarm;  // guarded by the lock of the timers
};

// The waits that are dropped with their runtime (WEFT_DROP).
struct dropped_waits {
  bool (*has)(const void* state, const waiter* one);
  const void* state;

  bool contain(const waiter* one) const { return has(state, one); }
};

}  // namespace weft::sched
