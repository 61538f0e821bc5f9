// Making units ready: which queue they enter, and which worker is woken for them.
#pragma once

#include "run/enter.hpp"
#include "run/wake.hpp"
#include "unit/unit.hpp"
#include "worker/worker.hpp"

namespace weft::sched {

// The last one yielded, as builders' pools are told, but comes back where a new unit would.
enum class push_reason : int { created, yielded, woken, moved, yielded_as_new };

// From any OS thread; w is the calling worker or null. The unit's context is saved, or it is new.
// Outside any worker's lock.
void make_ready(worker* w, unit* one, push_reason reason);
// As make_ready of a unit that parked, where most need nothing but a place in w's queue.
void make_woken_slowly(worker* w, unit* one);
[[gnu::always_inline]] inline bool may_put_here(const worker* w, const unit* one) {
  return !w->is_special && one->home.load(base::relaxed) == nullptr && !one->has_any(wants_to_move | stays_put);
}
[[gnu::always_inline]] inline void put_here(worker* w, unit* one) {
  one->state.store(unit_state::ready, base::relaxed);
  enter(w);
  w->ready.push_stealable(one);
  w->lock.leave();
  wake_one(w->rt);
}
[[gnu::always_inline]] inline void make_woken(worker* w, unit* one) {
  if (w == nullptr || !may_put_here(w, one)) [[unlikely]]
    return make_woken_slowly(w, one);
  put_here(w, one);
}
// A parked unit becomes the caller's, as if taken from a queue.
void own_parked(unit* one);

// The same, of a unit that yielded, once it is off its stack: what runs after the switch.
void become_ready_again(worker* w, void* one);
void become_ready_as_new(worker* w, void* one);

// WEFT_MIGRATE: the running unit, which is about to park, goes on on another worker than w.
void note_last_worker(const worker* w, unit* one);

// As make_ready of a new unit by w, at a worker that looks for work and has found none. False:
// there is none, and nothing was done.
bool offer(worker* w, unit* one);

// Puts a chain (by next) of owned units into w's queue, its first one to run last. By w.
void take_in(worker* w, unit* chain);

// A unit that may run only on `target` or should start there.
void send_to(worker* target, unit* one);
// One that is pinned to another worker than the one that has taken it out of a pool.
void send_where_pinned(runtime* rt, unit* one);

// What is left in the mail of a worker that has ended goes to others.
void forward_mail(worker* ended);

}  // namespace weft::sched
