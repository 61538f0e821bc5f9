// Leaving the running unit: it parks, or yields and stays ready. Called by workers only, with the
// worker as a parameter.
//
// A worker always stands on some stack. While it chooses, that is a *carrier*: one of its cached
// stacks with run_carrier() at its bottom. A unit without a stack of its own starts there by a
// plain call and, if it never parks, ends there: no switch at all. A unit that parks takes the
// carrier's stack with it; the worker goes directly to the next unit that has a context, or starts
// a fresh carrier.
//
//      carrier --call--> unit A ... ends --return--> carrier
//                        unit A ... parks --switch--> unit B (saved)         A keeps the stack
//                                         --switch--> fresh carrier           when the next one is new, or none is ready
//
// Every switch happens inside the worker's lock: enter.hpp.
#pragma once

#include "base/status.hpp"
#include "queue/spinlock.hpp"
#include "unit/unit.hpp"
#include "worker/failure.hpp"
#include "worker/worker.hpp"

namespace weft::sched {

// What belongs to the running unit but lives in the OS thread: kept in the frame of the unit that
// is left.
class luggage {
 public:
  // carried, before: of the OS thread that is left, as worker::carried and worker::fp.
  luggage(const runtime* rt, const unit* self, void* carried, const arch::fp_control& before);
  void unpack(worker* w, const unit* self) const;

 private:
  bool carries_;
  alignas(16) unsigned char bytes_[most_carried_bytes];
  arch::fp_control fp_;
};

// Inside the lock: leaves the running unit `self` for `next` (null: for a fresh carrier). Returns,
// when self is resumed, the worker on which that happened.
worker* leave_for(worker* w, unit* self, unit* next);

// Parks the running unit: `after` runs once its context is saved. Returns the worker on which it
// was resumed.
worker* park(worker* w, unit* self, after_switch after);

// What parking does to the running unit besides a switch, for one that stays where it is while w
// goes to another OS thread (life/hosts.hpp). Returns the unit that was said to run next, or null.
unit* leave_in_place(worker* w, unit* self);

// Parks the caller until make_woken, for what is named. `held` guards what leads to the caller,
// whose address is in *self before, and is released once its context is saved; null: no other OS
// thread looks there. Errors, with `held` held: cannot_block.
status park_holding(unit** self, const char* what, queue::spinlock* held);
// Names its failures.
inline constexpr call_errors parking_holding{"weft_ext_park_unlocking", "self"};
// What releases it.
inline void let_go_of(worker*, void* held) { static_cast<queue::spinlock*>(held)->unlock(); }

// Lets others run; self stays ready. Returns the worker on which it goes on.
worker* yield(worker* w, unit* self);

// As yield, through make_ready: for units that belong elsewhere.
worker* yield_away(worker* w, unit* self, bool as_new = false);

}  // namespace weft::sched
