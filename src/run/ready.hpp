// Making units ready: which queue they enter, and who is woken for them.
#pragma once

#include "unit/unit.hpp"
#include "worker/worker.hpp"

namespace weft::sched {

// The last one yielded, as builders' pools are told, but comes back where a new unit would.
enum class push_reason : int { created, yielded, woken, moved, yielded_as_new };

// From any OS thread; w is the calling worker or null. The unit's context is saved, or it is new. Outside any worker's lock.
void make_ready(worker* w, unit* one, push_reason reason);
// A parked unit becomes the caller's, as if taken from a queue.
void own_parked(unit* one);

// The same, of a unit that yielded, once it is off its stack: what runs after the switch.
void become_ready_again(worker* w, void* one);
void become_ready_as_new(worker* w, void* one);

// Puts a chain (by next) of owned units into w's queue, its first one to run last. By w.
void take_in(worker* w, unit* chain);

// A unit that may run only on `target` or should start there.
void send_to(worker* target, unit* one);
// One that is pinned to another worker than the one that has taken it out of a pool.
void send_where_pinned(runtime* rt, unit* one);

// What is left in the mail of a worker that has ended goes to others.
void forward_mail(worker* ended);

}  // namespace weft::sched
