// Schedulers that are themselves ULTs: they run units as callees, nest, and wait for work in pools.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/status.hpp"

namespace weft::sched {

struct pool;
struct runtime;
struct unit;

// Runs a unit that the calling ULT owns, until it ends, parks or yields; it does not run on the caller's stack, a tasklet does.
status dispatch(unit* one);

// Whether the calling scheduler should return. Lets timers, sources and mail have their turn.
bool should_stop();

// Waits until one of the pools has work, the scheduler should stop, or the deadline passed (status::timeout). is_wanted (or null) is asked
// once more when tell_watchers would find the caller.
status wait_for_work(pool* const* pools, std::size_t count, std::uint64_t deadline_ns, bool (*is_wanted)(void*), void* argument);
// After something was pushed into a pool that is watched, or what is_wanted looks at has changed.
void tell_watchers(runtime* rt, const pool* changed);
// Before the runtime ends: all that wait for work return.
void tell_all_watchers(runtime* rt);

}  // namespace weft::sched
