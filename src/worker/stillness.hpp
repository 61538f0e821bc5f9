// What looks for deadlocks keep from one look to the next. It lies in the runtime's record; what it
// means is in deadlock.hpp and circle_search.hpp.
#pragma once

#include <cstdint>

namespace weft::sched {

class circle_search;

// Guarded by the hold on the runtime (local::try_hold).
struct stillness {
  std::uint64_t moved = 0;  // sum of all that moved, as of the episode's begin
  std::uint64_t next_look_ns = 0;
  std::uint64_t pause_ns = 0;
  bool is_over = false;              // reported
  std::uint64_t circles_due_ns = 0;  // 0: together with the next look
  circle_search* circles = nullptr;  // where no watchdog looks for them; null: none did yet
};

}  // namespace weft::sched
