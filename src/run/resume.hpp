// Waking waiters (waiter.hpp): by a waker, and by the clock. Protocol P, docs/protocols/P.md.
#pragma once

#include "base/atomic.hpp"
#include "unit/waiter.hpp"

namespace weft::sched {

struct runtime;
struct worker;

// False: the clock was first.
inline bool claim(waiter* one, wait_word as) {
  std::uint32_t expected = waiting;
  // [P1] acq_rel: the one that moves it sees the record's fields, and is seen by the waiter; pairs
  // with [P3]
  return one->word.compare_exchange_strong(expected, as, base::acq_rel, base::relaxed);
}

// Makes the owner of a record that was taken from its list ready. False: its deadline was first.
// The record may be gone afterwards.
bool wake(waiter* one);

// As wake, for callers that hold a lock which making units ready may need: returns the ULT that
// they must make ready afterwards, with push_reason::woken, or null.
unit* take_to_wake(waiter* one);

// Makes the owners of records whose deadlines have passed ready.
void expire_timers(worker* w);

// When the runtime ends, and only workers that idle are left: ends the waits of awaiters that have
// a deadline, and refuses those to come. False: there never was one. Otherwise units may live
// again, as soon as are_expiries_over.
bool end_awaits(runtime* rt);
// Whether all workers have called the ready of the awaiters whose deadlines passed before.
bool are_expiries_over(const runtime* rt);

}  // namespace weft::sched
