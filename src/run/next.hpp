// What the run loop asks of places (place/), which stand above it: where else units lie than in a
// worker's own queue, and where a ready unit goes that has a home there. Declared here, defined
// there; without pools, domains, sources and schedulers of the frameless kind no run calls any of
// them on a hot path (worker::detours).
#pragma once

#include <cstddef>
#include <cstdint>

#include "unit/unit.hpp"

namespace weft::sched {

struct pool;
struct runtime;
struct worker;
enum class push_reason : int;

// ---- pools: pool.cpp ----

std::size_t ready_units(const pool* one);
// From any OS thread; wakes a worker that serves the pool.
void push_to_pool(pool* one, unit* what, push_reason reason);
void push_yielded_to_pool(pool* one, unit* what);
// As push_to_pool, for a unit that was blocked and woke.
void return_to_pool(pool* one, unit* what);

// ---- what a worker serves: serving.cpp ----

unit* pop_from_pools(worker* w);
bool pools_have_work(worker* w);
// Units that are ready in built-in pools that this worker alone serves. Any OS thread may ask; a
// hint.
std::size_t ready_in_own_pools(const worker* w);
// Takes `what` out of a pool that w serves. False: it was not there. A worker that knows of the
// pool only from a look at the unit knows nothing else of it.
bool take_from_pool(worker* w, pool* one, unit* what);
// Takes `what` out of the pool `home`, if it has not started and is what pop_from_pools would take
// now.
bool take_next_from_pools(worker* w, const pool* home, unit* what);
// Of a worker that was awake and found something: what came to its pools meanwhile woke no other
// worker, and may be left.
void wake_fellow_servers(worker* w);
// What the worker's own scheduler chooses; null: nothing, or it has none any more.
unit* ask_scheduler(worker* w);
// Whether a scheduler was set and not asked since.
bool has_new_scheduler(const worker* w);

// ---- outside sources: source.cpp ----

void poll_sources(worker* w);  // and makes ready what signal handlers have woken
bool sources_want_poll(const worker* w);
bool has_sources(runtime* rt);  // or a thread waits for something that only the outside can tell

// ---- outside sources in which a worker can sleep: kept_source.cpp ----

using source_wait = void (*)(void* state, std::uint64_t deadline_ns);

// Before the last look of one that goes to sleep: makes w the keeper of a source that has none.
void try_to_keep_source(worker* w);
// Whether there is one that has no keeper.
bool has_source_to_keep(const runtime* rt);
// Sleeps in the source that w keeps, until it has news, w is woken, or the time has come.
void sleep_in_source(worker* w, std::uint64_t until);
// w keeps no source any more. False: it kept none.
bool give_source_back(worker* w);
// After w was taken out of its sleep, by any OS thread.
void wake_in_source(const worker* w);
// In which w sleeps, or is about to; null: in none. For reports, by any OS thread.
source_wait wait_of_kept_source(const worker* w);

// ---- domains, where the runtime has them: domains.cpp ----

// w: the calling worker, or null.
void push_to_domain(runtime* rt, const worker* w, unit* one, push_reason reason);
// From the pool of another domain, or null.
unit* steal_from_domains(const worker* w);
bool sees_prey_in_domains(const worker* w);

}  // namespace weft::sched
