// Forks: what hot.h leaves to the library, and what the scheduler does about them. Protocol K,
// docs/protocols/K.md.
#pragma once

#include "base/config.hpp"
#include "base/status.hpp"
#include "unit/unit.hpp"
#include "worker/fork_deque.hpp"
#include "worker/worker.hpp"

namespace weft::sched {

struct runtime;

// The twins of what hot.h inlines. From any OS thread, outside any lock.
weft_forked* fork_slow(void (*run)(void* work), const void* work, std::size_t bytes);
void fork_at_limit();
bool join_fork_slow(weft_forked* forked);  // may switch

// Whether the running unit may have forks that were not joined. Owner.
inline bool has_forks(const worker* w) {
  const fork_deque& forks = w->forks;
  if constexpr (forks_are_always_closed) return forks.closed_bottom.load(base::relaxed) != forks.rest;
  return weft_hot_load(&forks.hot.bottom, __ATOMIC_RELAXED) != forks.rest;
}

// Makes the forks of the running unit units, which others may run while it is away. Owner, before
// the unit is left or another one runs on its stack; outside the worker's lock, with any spinlock
// held that making a unit ready does not need.
void detach_forks(worker* w);

// Whether the victim seems to have something to take. From any OS thread.
bool has_forks_to_take(const worker* victim);
// Whether its owner has stayed in one call while they wait: for about a microsecond. From any OS
// thread.
bool forks_stand_still(const worker* victim);
// Whether thieves may take some of them without a fence. From any OS thread; reads no line that
// the victim's forks write.
bool has_public_forks(const worker* victim);
// Takes the oldest public forks, half of them and not more than `most`, and makes them units of the
// thief's, chained by next, the oldest first. Null: there were none, or another worker is at them.
unit* take_public_forks(worker* w, worker* victim, std::size_t most);
// As take_public_forks, but makes all forks of the victim public first, by a fence in it, if none
// is.
struct fork_theft {
  unit* chain;        // null: none
  bool was_possible;  // where there is no chain: the forker has joined its forks faster
};
fork_theft steal_forks(worker* w, worker* victim, std::size_t most);
// A worker looks for forks, or is about to sleep, and then a heavy fence and a last look must
// follow: the next fork of each other one shall look for it.
void want_to_hear_of_forks(const runtime* rt);

void free_fork_segments(worker* w);
// When no worker is left.
void free_shared_segments(runtime* rt);

// Whose identity a unit has: a fork that was taken has its forker's.
inline unit* identity_of(unit* one) { return one != nullptr && one->has(is_fork) ? one->forker : one; }

// Whether keys of the running unit may be in use by others of the same identity.
inline bool shares_identity(const worker* w) { return has_forks(w) || w->current->has(is_fork) || w->current->left_forks != 0; }

// ---- at the end of a unit ----

// The running unit's function has returned.
void check_forks_joined();
void check_ended_well();
inline void note_return() {
  if constexpr (config::checked) {
    check_forks_joined();
    check_ended_well();
  }
}

// ---- what forks ask of threads (thread/), which stand above: create.cpp, join.cpp ----

// A ULT for a fork that was taken from its forker, whose identity it has. Null: no memory. The
// caller tells the event sink.
unit* make_fork_unit(worker* w, unit::function_type function, void* argument, unit* forker);
// Of a fork that became a unit. It runs on its joiner's stack only where a fork's own stack would
// hardly have more room.
status join_fork(unit* one);

}  // namespace weft::sched
