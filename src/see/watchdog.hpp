// The watchdog: an OS thread that looks at the workers and tells of those that do not go on.
//
// Always, where there are several workers or the caller of weft_init stays outside: workers that
// stand still (standing.hpp) and circles of units that wait for each other (circles.hpp). It looks
// twice a second while a worker is awake, and sleeps while all workers do. A lone worker is looked
// at by a signal (lookout.hpp).
//
// With WEFT_WATCHDOG also a worker that has been in one unit for longer than that and either sleeps
// in the kernel (a std::mutex, a blocking call) or keeps ready units waiting; and all workers, if
// each has been in one unit for longer: threads may be waiting for each other in loops. A long
// computation behind which no unit waits, while other workers take units, is none of its business.
// One report an episode, and none of a unit in a blocking region or in a wait of Weft's own.
//
// It only looks: the workers pay nothing for it. What it reads of a worker are plain fields of
// another OS thread, read without order: a value out of date makes it look once more.
#pragma once

#include "worker/hooks.hpp"
#include "worker/runtime.hpp"

namespace weft::sched {

// Nothing happens when it runs, or has nothing to look at. When it cannot be had, a line on stderr
// says so if the user asked for it: the program does without.
void start_watchdog(runtime* rt);
// Returns when it has ended; nothing happens when there is none. Workers must not go before.
void stop_watchdog(runtime* rt);

// In a signal handler: has the watchdog's OS thread dump everything and end the process by SIGQUIT.
// False: there is none.
bool ask_watchdog_for_last_dump(runtime* rt);

// When a worker found something to do after it had nothing.
void end_doze(runtime* rt);

}  // namespace weft::sched
