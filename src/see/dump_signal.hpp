// A signal that has every thread written to stderr: for a program that hangs.
//
// WEFT_DUMP_SIGNAL=usr1, usr2, quit: the program goes on. A dump takes locks, so the handler does
// none of it: it wakes an OS thread of ours that does. Signals that come while that one writes are
// answered by one more dump. A handler that the program has installed before stays, and a line on
// stderr says that the signal is not ours; what the program installs later is in front of ours, and
// simply replaces it.
//
// By default SIGQUIT, if its action was the default: a dump, and then that action, which ends the
// process. The watchdog's OS thread writes the dump; where there is none, the handler does.
// What it interrupted may hold a lock that the dump needs: a second SIGQUIT ends the
// process at once, and a timer sends one. There is no such handler in a program with raised
// privileges, whose addresses are not for its caller, nor where a layer above Weft has asked for
// that (ext.h: weft_ext_leave_signals).
#pragma once

namespace weft::sched {

struct runtime;

// Nothing happens when the settings do not ask for it. When what the user asked for cannot be had,
// a line on stderr says so: the program does without.
void start_dump_signal(const runtime* rt);
// The last acts of a process that was sent SIGQUIT, whose action is the default again.
void dump_and_die();
// Puts the disposition back, and returns when the last dump is written. Before the workers go.
void stop_dump_signal();
// In a child of fork(2), which has no OS thread of ours: puts the disposition back.
void abandon_dump_signal();

}  // namespace weft::sched
