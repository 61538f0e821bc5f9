// What a worker serves: pools, into which it looks after (every other time: before) its own queue, and a scheduler of the frameless kind.
#pragma once

#include <weft/ext.h>

#include <cstddef>

#include "base/status.hpp"

namespace weft::sched {

struct pool;
struct runtime;
struct unit;
struct worker;

// ---- pools ------------------------------------------------------------------------------------------------------------------

status attach_pool(runtime* rt, pool* one, unsigned worker_index);
status detach_pool(runtime* rt, pool* one, unsigned worker_index);
// The worker's entry and the pool's, inside pools_lock. Errors: again (no room), invalid (it did not serve it).
status begin_serving(pool* one, worker* w);
status stop_serving(pool* one, worker* w);

// As remove_from_pool for a worker, if it serves the pool: who knows that only from a look at the unit knows nothing of the pool.
bool take_from_pool(worker* w, pool* one, unit* what);

unit* pop_from_pools(worker* w);
bool pools_have_work(worker* w);
// Units that are ready in built-in pools that this worker alone serves. Any OS thread may ask; a
// hint.
std::size_t ready_in_own_pools(const worker* w);
// Of one that was awake and found something: what came to its pools meanwhile woke nobody else, and may be left.
void wake_fellow_servers(worker* w);

// ---- a scheduler of its own --------------------------------------------------------------------------------------------------

// ops null: the built-in one.
status set_scheduler(runtime* rt, unsigned worker_index, const weft_scheduler_ops* ops, void* state);
// What the worker's own scheduler chooses; null: nothing, or it has none any more.
unit* ask_scheduler(worker* w);
// Whether it was set and not asked since.
bool has_new_scheduler(const worker* w);
// Of a worker that has ended: the next one in its slot starts with the built-in one.
void retire_scheduler(runtime* rt, worker* w);
// Of a worker at which nobody looks any more.
void free_scheduler(worker* w);

}  // namespace weft::sched
