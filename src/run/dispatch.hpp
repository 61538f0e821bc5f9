// Schedulers that are themselves ULTs: they run units as callees, and nest.
#pragma once

#include <cstddef>
#include <cstdint>

#include <weft/ext.h>

#include "base/status.hpp"
#include "worker/failure.hpp"

namespace weft::sched {

struct pool;
struct runtime;
struct unit;
struct worker;

// Runs a unit that the calling ULT owns, until it ends, parks or yields; it does not run on the
// caller's stack, a tasklet does.
// Names its failures.
status dispatch(unit* one);
inline constexpr call_errors dispatching{
    .call = "weft_ext_dispatch", .argument = "unit", .invalid = {"unit", is_pinned_to_another}};

// Runs `first` so, and then, as siblings of it, the others of a row: straight from one to the
// other. Errors are those of dispatch for `first`.
status dispatch_in_turn(unit* first, const weft_row& row);
// Outside the lock: the unit that follows a dispatched one that leaves its worker. It is the
// scheduler, if that names none. yielding: the unit, if it will be ready again at once.
unit* next_in_turn(worker* w, unit* scheduler, unit* yielding);

// Whether the running unit of w, which has nothing to look after, can be left for a new one by
// start, and if so enters the lock.
bool begins_to_start(worker* w, const unit* one);
// Leaves self for the new unit, whose parent is set. Returns when self goes on.
void start(worker* w, unit* self, unit* one);

// Whether w can go to a unit that is owned there: it has a stack, or got one now.
bool can_follow(worker* w, unit* one);
// Gives back the stack that an owned unit got here, and does not need: it has not started, and is
// not entered directly.
void unbind_stack(worker* w, unit* one);
// Of an owned unit that is not entered here after all, though it may have got a stack.
void send_home(worker* w, unit* one);

}  // namespace weft::sched
