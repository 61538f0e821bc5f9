// Waiting, with the record of a wait (waiter.hpp). Protocol P, docs/protocols/P.md.
#pragma once

#include "base/config.hpp"
#include "queue/spinlock.hpp"
#include "run/awaiter.hpp"
#include "unit/unit.hpp"
#include "unit/waiter.hpp"
#include "worker/local.hpp"
#include "worker/worker.hpp"

namespace weft::sched {

enum class wait_result { woken, timed_out };

// Blocks the caller until wake(*me). `held` guards the list that *me is on; it is released once the
// caller can be resumed. Pre: the caller may block (see may_block). May switch.
wait_result wait(waiter* me, queue::spinlock* held);

// As wait for another lock than a spinlock: let_go(worker, held) releases it, once the caller can
// be resumed. The worker is null on an OS thread outside.
wait_result wait_held(waiter* me, void (*let_go)(worker* w, void* held), void* held);

// As wait; instead of releasing a lock it calls publish(argument) once the caller can be resumed.
// If that returns false the caller goes on at once, as if woken.
wait_result wait_published(waiter* me, bool (*publish)(void* argument), void* argument);

// Whether the caller may wait: a ULT or an OS thread outside may, a tasklet or a callback may not.
inline bool is_where_it_may_block() {
  const worker* w = local::current_worker();
  if (w == nullptr) return !local::delivery_outside()->is_active;  // not from the ready of an awaiter
  return w->current != nullptr ? !w->current->has(is_tasklet) : w->waits_as_outside;
}
inline bool may_block() {
  const bool may = is_where_it_may_block();
  if constexpr (config::checked) {
    if (!may) tell_ready_that_waits();
  }
  return may;
}

}  // namespace weft::sched
