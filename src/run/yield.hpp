// Yields: of the running unit, to the next one, to a named one, and to one that the caller owns.
#pragma once

#include <weft/ext.h>

#include "base/status.hpp"
#include "worker/failure.hpp"

namespace weft::sched {

struct unit;

void yield();
// Names its failures.
status yield_to(unit* next);
inline constexpr call_errors yielding_to{.call = "weft_yield_to", .argument = "thread", .invalid = {"thread", "it has ended"}};
// As yield, but next, which the caller owns, runs at once, under the scheduler that dispatched the
// caller, if one did.
// Names its failures.
status yield_to_owned(unit* next, bool as_new);
inline constexpr call_errors yielding_to_owned{
    .call = "weft_ext_yield_to_owned", .argument = "unit", .invalid = {"unit", is_pinned_to_another}};
void yield_as_new();
// As yield of a unit whose home is a built-in pool without priorities, if its first ready unit can
// run instead at once. again: none is ready there; busy: it cannot. These two are answers; names
// its failures otherwise.
status yield_in_pool(bool (*accepts)(void* state, weft_thread* unit), void* state);
inline constexpr call_errors yielding_in_pool{"weft_ext_yield_in_pool", "accepts"};

}  // namespace weft::sched
