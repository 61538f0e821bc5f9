// What a worker serves: pools, into which it looks after (every other time: before) its own queue,
// and a scheduler of the frameless kind.
#pragma once

#include <weft/ext.h>

#include <cstddef>

#include "base/status.hpp"
#include "run/next.hpp"

namespace weft::sched {

struct pool;
struct runtime;
struct unit;
struct worker;

// ---- pools --------------------------------------------------------------------------------------

status attach_pool(runtime* rt, pool* one, unsigned worker_index);
status detach_pool(runtime* rt, pool* one, unsigned worker_index);
// The worker's entry and the pool's, inside pools_lock. Errors: nomem, invalid (it did
// not serve it).
status begin_serving(pool* one, worker* w);
status stop_serving(pool* one, worker* w);

// ---- a scheduler of its own ---------------------------------------------------------------------

// ops null: the built-in one.
status set_scheduler(runtime* rt, unsigned worker_index, const weft_scheduler_ops* ops, void* state);
// Of a worker that has ended: the next one in its slot starts with the built-in one.
void retire_scheduler(runtime* rt, worker* w);
// Of a worker at which no other looks any more.
void free_scheduler(worker* w);

}  // namespace weft::sched
