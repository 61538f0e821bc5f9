// A worker's OS thread that sleeps in the kernel while it runs a unit: in which call, where the
// program made it, and the cure. Said by the watchdog and by reports of standstills.
//
// The code that made the call is the innermost frame that belongs neither to the C library nor to
// Weft. Where Weft itself waits, as in a tasklet that joins, there is no such frame.
#pragma once

#include <cstdint>

#include "see/report.hpp"
#include "worker/hooks.hpp"

namespace weft::os {
struct thread_state;
}

namespace weft::sched {

struct worker;

struct calling_code {
  std::uintptr_t at = 0;  // 0: unknown
  bool is_exact = false;
  std::uintptr_t line_at = 0;  // the nearest caller of `at` whose line is known, if that of `at` is not
  bool is_wefts = false;       // Weft made the call for itself
  bool has_returned = false;   // meanwhile: `at` is unknown
};

// Of the unit in which w was found, as `state` says; from an OS thread that is no worker.
calling_code find_calling_code(const worker* w, const unit* in, const os::thread_state& state);
// Of the call that a signal interrupted; context: the third argument of the signal's handler.
calling_code find_interrupted_code(const void* context, long call);

// ", called in receive+0x1f (blocking.c:9)"; nothing if it is unknown.
text& tell_calling_code(text& out, const calling_code& one, names how);
// "read of pipe:[4711]".
text& tell_call(text& out, long call, std::uintptr_t first_argument);
// ", in read of pipe:[4711]", or as much as the system tells.
text& tell_kernel_place(text& out, int os_thread, const os::thread_state& state);

// A line; call: -1 if it is unknown. waiting: the units behind the worker.
text& tell_cure_of_call(text& out, const char* before, long call, unsigned waiting);

}  // namespace weft::sched
