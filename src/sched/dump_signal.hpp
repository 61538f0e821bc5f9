// A signal that has every thread written to stderr, WEFT_DUMP_SIGNAL: for a program that hangs and that nobody wants to stop.
//
// A dump takes locks, so the handler does none of it: it wakes an OS thread of ours that does. Signals that come while that one writes
// are answered by one more dump. A handler that the program has installed before stays, and a line on stderr says that the signal is not
// ours; what the program installs later is in front of ours, and simply replaces it.
#pragma once

namespace weft::sched {

struct runtime;

// Nothing happens when the settings do not ask for it. When it cannot be had, a line on stderr says so: the program does without.
void start_dump_signal(const runtime* rt);
// Puts the disposition back, and returns when the last dump is written. Before the workers go.
void stop_dump_signal();
// In a child of fork(2), which has no OS thread of ours: puts the disposition back.
void abandon_dump_signal();

}  // namespace weft::sched
