// Waiting for work in pools: schedulers that are ULTs, and OS threads outside.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/status.hpp"

namespace weft::sched {

struct pool;
struct runtime;

// Waits until one of the pools has work, the runtime is about to end, or the deadline passed
// (status::timeout). is_wanted (or null) is asked once more when tell_watchers would find the
// caller.
status wait_for_work(pool* const* pools, std::size_t count, std::uint64_t deadline_ns, bool (*is_wanted)(void*), void* argument);
// After something was pushed into a pool that is watched, or what is_wanted looks at has changed.
void tell_watchers(runtime* rt, const pool* changed);
// Before the runtime ends: all that wait for work return.
void tell_all_watchers(runtime* rt);

}  // namespace weft::sched
