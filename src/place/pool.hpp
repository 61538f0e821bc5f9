// Pools: queues of ready units that a user can name, built-in or the user's own behind
// weft_pool_ops. A unit whose `home` is a pool enters it whenever it becomes ready. Which workers
// look into pools: serving.hpp.
#pragma once

#include <cstddef>
#include <cstdint>

#include <weft/ext.h>

#include "run/next.hpp"
#include "unit/pool_record.hpp"
#include "unit/unit.hpp"

namespace weft::sched {

status create_pool(weft_pool_kind kind, weft_pool_access access, pool** out);
status create_custom_pool(const weft_pool_ops& ops, void* state, weft_pool_access access, pool** out);
status destroy_pool(pool* one);

// As ready_units, and blocked ones too. One that comes back is counted throughout, once or twice.
std::size_t total_units(const pool* one);

// As push_to_pool, for a unit that a caller owns, whose home this becomes. Never fails.
status push_owned(pool* one, unit* what, push_reason reason);
unit* pop_from_pool(pool* one);
// As pop_from_pool, for a worker that serves the pool: no priority waits for ever.
unit* pop_to_serve(pool* one);
// Wakes a sleeping server if units are left that another one was woken for.
void wake_server_for_rest(pool* one);
// The one that would run last; null, too, of a pool that is not built-in.
unit* pop_last_from_pool(pool* one);
// Takes `what` out of the middle; false: it was not there.
bool remove_from_pool(pool* one, unit* what);
// Takes `what`, which its caller may join, if it has not started, and a worker that serves the pool
// would take it next.
bool remove_if_next(pool* one, unit* what);
// As remove_from_pool, for the one of some pools to which it belongs.
bool remove_from_one(pool* const* some, std::size_t count, unit* what);
// Calls each(state, unit) for the ready units of a built-in pool, inside its lock.
void walk_pool(pool* one, void (*each)(void* state, unit* what), void* state);

}  // namespace weft::sched
