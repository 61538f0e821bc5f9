// What a worker runs next without taking it from others, and what it looks after now and then.
#pragma once

namespace weft::sched {

struct unit;
struct worker;

// Timers and sources: done every few choices. Outside the lock.
void look_around(worker* w);

// What w can run without taking it from another worker: its queue, its mail, its pools. Null:
// nothing. Outside the lock.
unit* find_own(worker* w);

// Whether the calling scheduler should return. Lets timers, sources and mail have their turn.
bool should_stop();

}  // namespace weft::sched
