// What the process does at a signal, and the stack on which an OS thread's handlers run:
// sigaction(2) and sigaltstack(2) behind the fault seam, for starting and stopping. A handler that
// has the last word before the process dies calls the system itself. Callable from any OS thread;
// the stack is the caller's.
#pragma once

#include <signal.h>

#include <cstdint>

namespace weft::os {

// Either pointer may be null. False: refused, nothing changed, *before untouched.
bool set_signal_action(int signal, const struct sigaction* wanted, struct sigaction* before);
bool set_signal_stack(const stack_t* wanted, stack_t* before);

// To an OS thread of this process, by the kernel's id. False: it has ended.
bool send_signal(int thread_id, int signal);

// A timer of CLOCK_MONOTONIC that sends `signal` to one OS thread of this process, by the kernel's
// id. It begins switched off. False: refused.
bool make_signal_timer(int thread_id, int signal, int* timer);
// Sends the signal after period_ns and from then on in every such period; 0 switches the timer
// off. Callable from signal handlers. False: refused, nothing changed.
bool set_signal_timer(int timer, std::uint64_t period_ns);
void delete_signal_timer(int timer);

// Keeps signals from the calling OS thread, and from every OS thread that it starts meanwhile, but
// for those that an OS thread causes itself: a fault, abort.
class signals_held {
 public:
  signals_held();
  ~signals_held();
  signals_held(const signals_held&) = delete;
  signals_held& operator=(const signals_held&) = delete;

 private:
  sigset_t before_;
};

}  // namespace weft::os
