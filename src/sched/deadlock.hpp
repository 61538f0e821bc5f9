// When nothing can ever run again: the report that says who waits for what.
#pragma once

namespace weft::sched {

struct runtime;

// The last worker is about to sleep, and no deadline is set. Reports a deadlock if it is one.
void all_workers_idle(runtime* rt);

// Every live unit with its state, what it waits for, since when, and where it was made.
void dump(runtime* rt, int fd);

}  // namespace weft::sched
