// The blocking region in which an OS thread is (life/blocking.hpp): one record an OS thread, a
// thread-local. Between begin and end the OS thread is no worker; the record knows which one it
// was.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/atomic.hpp"
#include "unit/awaiter_delivery.hpp"
#include "unit/waiter.hpp"
#include "worker/host.hpp"
#include "worker/lent_word.hpp"
#include "worker/local.hpp"

namespace weft::sched {

struct blocking_call {
  // the OS thread itself
  unsigned depth = 0;  // of regions that are open, one in another; 0: none
  worker* w = nullptr;
  unit* self = nullptr;
  mem::stack* standing = nullptr;
  const void* place = nullptr;  // the caller
  worker::held_locks os_locks;  // by this OS thread; checked builds
  std::uint64_t began_ns = 0;   // where the worker was given away at once; 0: it was not
  bool may_be_several = false;  // forks that may run meanwhile have the unit's identity

  // the OS thread that has taken the worker, until `phase` says so; the caller afterwards
  host own;
  mem::stack* stack_before = nullptr;                            // the unit's, as noted in it
  alignas(waiter) unsigned char wait_room[sizeof(waiter)] = {};  // of the unit's, for reports

  base::atomic<std::uint32_t> phase{call_phase::in_place};  // futex
  blocking_call* next_claim = nullptr;                      // guarded by the lock of the hosts
  bool insists = false;                                     // the claim: the caller has no other place to go to
  blocking_call* follows = nullptr;                         // granted: this region's unit is to be left in place first
};

// The region in which the calling OS thread is, or was last.
blocking_call* this_blocking_call();

// The unit in whose region the calling OS thread, which is no worker then, is. Null: in none.
inline unit* unit_in_region() {
  const blocking_call* const call = this_blocking_call();
  return call->depth != 0 ? call->self : nullptr;
}

// The unit whose call the calling OS thread, which is no worker, makes: that in whose region it is,
// but not in the ready of an awaiter, which has no identity.
inline unit* caller_in_region() { return local::delivery_outside()->is_active ? nullptr : unit_in_region(); }

}  // namespace weft::sched
