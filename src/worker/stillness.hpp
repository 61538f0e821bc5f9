// What looks for deadlocks keep from one look to the next. It lies in the runtime's record; what it
// means is in deadlock.hpp and circles.hpp.
#pragma once

#include <cstdint>

namespace weft::sched {

struct circles_seen {
  static constexpr unsigned most = 8;

  std::uint64_t due_ns = 0;
  std::uint64_t seen[most] = {};  // signatures of the last look's
  std::uint64_t told[most] = {};
  unsigned told_count = 0;
};

// Guarded by the hold on the runtime (local::try_hold).
struct stillness {
  std::uint64_t moved = 0;  // sum of all that moved, as of the episode's begin
  std::uint64_t next_look_ns = 0;
  std::uint64_t pause_ns = 0;
  bool is_over = false;  // reported
  circles_seen circles;  // where no watchdog looks for them
};

}  // namespace weft::sched
