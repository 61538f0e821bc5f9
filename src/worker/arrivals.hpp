// Units that a worker goes on with after another worker left them, so on another OS thread: for
// reports. Checked builds note them, because a unit does not know otherwise where it ran last.
#pragma once

namespace weft::sched {

struct arrival;
struct unit;
struct worker;

// By w, which has switched to its current unit.
void note_arrival(worker* w);

// By w, on which the unit ends: its memory may serve another one.
void forget_arrival(worker* w, const unit* one);

// The last time that w went on with a unit of another worker's, if it did and that is still known.
// From any OS thread.
bool find_arrival(const worker* w, const unit* one, arrival* out);

}  // namespace weft::sched
