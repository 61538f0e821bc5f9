// What the failures of calls mean that the core names itself, because the C call is a tail call
// (worker/failure.hpp).
#pragma once

#include "os/place.hpp"
#include "thread/thread.hpp"
#include "unit/unit.hpp"
#include "worker/failure.hpp"

namespace weft::sched {

inline constexpr call_errors thread_creation{"weft_thread_create", "function"};
inline constexpr call_errors creation_at{"weft_ext_thread_create_at", "function"};
inline constexpr call_errors tasklet_creation{"weft_tasklet_create", "function"};

// Of a creation without attributes.
inline const call_errors& call_that_makes(unit_flag kind, const void* made_at) {
  if (kind == is_tasklet) return tasklet_creation;
  return os::find_place(made_at) != nullptr ? creation_at : thread_creation;
}

inline constexpr call_errors copying_creation{"weft_thread_create_copy", "function"};
inline constexpr call_errors filling_creation{"weft_ext_thread_create_filled", "function"};

inline const call_errors& call_that_copies(const copying& what) {
  return what.fill != nullptr ? filling_creation : copying_creation;
}

inline constexpr call_errors making_in{"weft_ext_thread_make_in", "function"};

constexpr call_errors errors_of_join(const char* call, const char* argument = "thread") {
  return {.call = call,
          .argument = argument,
          .invalid = {argument, "the thread is detached"},
          .busy = {argument, "another caller is joining the thread, which has not ended"},
          .deadlock = {argument, "the thread is the caller itself"},
          .ended = {argument, was_dropped_at_the_end}};
}
inline constexpr call_errors joining = errors_of_join("weft_thread_join");
inline constexpr call_errors waiting_for_end = errors_of_join("weft_ext_thread_wait");

inline constexpr call_errors suspending{"weft_suspend"};
inline constexpr call_errors resuming{"weft_resume", "thread"};

inline constexpr call_errors reviving{.call = "weft_ext_thread_revive",
                                      .argument = "thread",
                                      .invalid = {"thread", "the worker that it was pinned to is gone"},
                                      .busy = {"thread", "it has not ended"}};

}  // namespace weft::sched
