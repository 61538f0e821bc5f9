// What a report says of a unit that has gone on on another OS thread: libraries that keep locks or
// state by OS thread may have lost them. Checked builds know it (worker/arrivals.hpp).
#pragma once

#include "see/report.hpp"

namespace weft::sched {

// A line about the unit that w runs, and the outermost call of a library that it is in; nothing if
// it has not moved. context: the third argument of the handler of a signal that interrupted it;
// null: there was none. Callable from that handler.
void tell_move(text& out, const worker* w, const unit* one, const void* context);

}  // namespace weft::sched
