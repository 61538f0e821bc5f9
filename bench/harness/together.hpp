// Ways to do things that do not depend on each other: one after the other here; as threads, forks or tasks where a runtime says how. A
// kernel whose parts are not tiny is written once over them; one that measures the forks themselves says what it forks.
#pragma once

namespace bench {

struct one_by_one {
  template <class... Parts>
  static void run(const Parts&... parts) noexcept {
    (parts(), ...);
  }
};

// Made and joined so that one worker runs them in their order: neighbours in memory are often neighbours in it.

}  // namespace bench
