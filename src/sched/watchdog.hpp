// The watchdog: an OS thread that tells when a worker stays in one unit for too long, and why. Opt-in, WEFT_WATCHDOG.
//
// It tells of a worker that has been in one unit for that long and either sleeps in the kernel (a std::mutex, a blocking call) or keeps
// ready units waiting; a long computation that nobody waits behind is none of its business. One report an episode.
//
// It only looks: the workers pay nothing for it. What it reads of a worker are plain fields of another OS thread, read without order: a
// value out of date makes it look once more.
#pragma once

namespace weft::sched {

struct runtime;

// Nothing happens when the settings do not ask for it. When it cannot be had, a line on stderr says so: the program does without.
void start_watchdog(runtime* rt);
// Returns when it has ended; nothing happens when there is none. Workers must not go before.
void stop_watchdog(runtime* rt);

}  // namespace weft::sched
