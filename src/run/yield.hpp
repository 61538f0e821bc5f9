// Yields: of the running unit, to the next one, to a named one, and to one that the caller owns.
#pragma once

#include <weft/ext.h>

#include "base/status.hpp"

namespace weft::sched {

struct unit;

void yield();
status yield_to(unit* next);
// As yield, but next, which the caller owns, runs at once, under the scheduler that dispatched the
// caller, if one did.
status yield_to_owned(unit* next, bool as_new);
void yield_as_new();
// As yield of a unit whose home is a built-in pool without priorities, if its first ready unit can
// run instead at once. again: none is ready there; busy: it cannot.
status yield_in_pool(bool (*accepts)(void* state, weft_thread* unit), void* state);

}  // namespace weft::sched
