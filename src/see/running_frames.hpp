// Where a unit stands that runs: for reports, from an OS thread that is no worker.
//
// A worker that computes, or waits for a lock of OS threads, is asked by a signal, SIGURG, which
// the system ignores unless a handler wants it: its handler hands over the registers that were
// interrupted, and stands still until its stack was read. One that sleeps in another call of the
// kernel, which a signal might end early, is not disturbed: /proc tells its stack pointer and where
// it goes on. What else was in registers is not known then, so that such a backtrace may end at a
// function with a frame pointer.
//
// The handler is there while one question is open only. It takes one lock that no OS thread holds
// while it runs units, and goes on by itself when the asker is held up: by the lock of the dynamic
// linker, for one, which the worker may have been interrupted in.
#pragma once

#include <signal.h>

#include "see/report.hpp"
#include "unwind/walk.hpp"
#include "worker/hooks.hpp"

namespace weft::os {
struct thread_state;
}

namespace weft::sched {

struct runtime;
struct worker;

// One of the answers why there are none.
inline constexpr char went_on[] = "it went on meanwhile";

// Null: *found has its frames. Else why there are none.
const char* find_running_frames(runtime* rt, const unit_view& one, unwind::known_rows* rows, unwind::backtrace* found);

// The same of one that was found asleep in the kernel, as `state` says. No signal is sent to an OS
// thread whose sleep one might end.
const char* find_frames_in_kernel(const worker* w, const unit_view& one, const os::thread_state& state, unwind::backtrace* found);

inline constexpr int signal_of_questions = SIGURG;

// For senders of that signal to a worker's OS thread for another purpose (lookout.hpp): from
// now on the handler is there all the time, and calls on_tick with the third argument of a signal
// handler for each signal that a timer of the kernel's has sent. False: the program wants the
// signal itself, or the system refuses. One at a time.
bool begin_looks(void (*on_tick)(const void* context));
void end_looks_by_signal();

// In a child of fork(2), where no OS thread asks any more: puts the disposition of the signal back.
void abandon_question();

}  // namespace weft::sched
