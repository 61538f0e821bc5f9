// What a thread must not do when it waits, yields or ends: be inside a pinned scope
// (weft_pinned_begin), or hold locks of OS threads. Checked builds look at each such moment
// (run/entering.hpp), inside the worker's lock.
//
// The first ends the program: the program has said that it would not. Of the second one line is
// written for each place that takes locks, at most a few in all: such a program may work, as long
// as no other thread of the worker asks for the lock.
#pragma once

namespace weft::sched {

struct unit;
struct worker;

// By the worker that runs self; forgets the locks. has_ended: else it waits or yields.
void tell_leaving(worker* w, unit* self, bool has_ended);

}  // namespace weft::sched
