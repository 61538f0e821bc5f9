// A wait: the record that a blocked ULT or OS thread leaves with whoever will wake it. It lives in the frame of the blocked call.
// Protocol P, docs/protocols/P.md.
//
//      waiting ----> woken          by the waker that took it from its list
//      waiting ----> timed_out      by the clock; only records with a deadline
//
// Who moves it out of `waiting` makes the ULT ready, exactly once. A waker that loses to the clock drops the record; it does so
// inside the lock of the list, which the waiter takes once more before its frame goes. Where there is no list (joins) it says so:
// timed_out ----> dropped.
#pragma once

#include <cstdint>

#include "base/atomic.hpp"
#include "base/list.hpp"
#include "queue/spinlock.hpp"
#include "sched/local.hpp"
#include "sched/timer.hpp"
#include "sched/worker.hpp"

namespace weft::sched {

inline constexpr std::uint64_t forever = UINT64_MAX;

// awaits: it is no thread's, but an awaiter's (awaiter.hpp), in whose word all is decided.
enum wait_word : std::uint32_t { waiting, woken, timed_out, dropped, awaits };

// The deadline of awaiters' records: wakers claim them as those with a deadline, inside the lock of the queue.
inline constexpr std::uint64_t never_but_claimed = forever - 1;

struct waiter : base::list_link {
  waiter(const char* what_it_waits_for, const void* on) : what(what_it_waits_for), object(on) {}

  // set by the caller before it waits
  const char* what;                                      // for reports: "mutex", "condition", ...
  const void* object;                                    // what it waits on
  const base::atomic<std::uintptr_t>* holder = nullptr;  // the word of `object` that tells its holder
  bool is_holder_address = false;                        // ... by an address in its stack
  void* payload = nullptr;                               // the object's own
  std::uint64_t since_ns = 0;                            // coarse
  std::uint64_t deadline_ns = forever;

  // set once before the record is published
  unit* who = nullptr;  // null: an OS thread outside, asleep on `word`

  base::atomic<std::uint32_t> word{waiting};
  timer alarm;  // guarded by the lock of the timers
};

enum class wait_result { woken, timed_out };

// Blocks the caller until wake(*me). `held` guards the list that *me is on; it is released once the caller can be resumed.
// Pre: the caller may block (see may_block). May switch.
wait_result wait(waiter* me, queue::spinlock* held);

// As wait for another lock than a spinlock: let_go(worker, held) releases it, once the caller can
// be resumed. The worker is null on an OS thread outside.
wait_result wait_held(waiter* me, void (*let_go)(worker* w, void* held), void* held);

// As wait; instead of releasing a lock it calls publish(argument) once the caller can be resumed. If that returns false the caller
// goes on at once, as if woken.
wait_result wait_published(waiter* me, bool (*publish)(void* argument), void* argument);

// Makes the owner of a record that was taken from its list ready. False: its deadline was first. The record may be gone afterwards.
bool wake(waiter* one);

// As wake, for callers that hold a lock which making units ready may need: returns the ULT that they must make ready afterwards, with
// push_reason::woken, or null.
unit* take_to_wake(waiter* one);

// Makes the owners of records whose deadlines have passed ready.
void expire_timers(worker* w);

// Whether the caller may wait: a ULT or an OS thread outside may, a tasklet or a callback may not.
inline bool may_block() {
  const worker* w = local::current_worker();
  if (w == nullptr) return !local::delivery_outside()->is_active;  // not from the ready of an awaiter
  return w->current != nullptr ? !w->current->has(is_tasklet) : w->waits_as_outside;
}

}  // namespace weft::sched
