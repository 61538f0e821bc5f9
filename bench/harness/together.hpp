// Ways to do things that do not depend on each other: one after the other here; as threads, forks or tasks where a runtime says how. A
// kernel whose parts are not tiny is written once over them; one that measures the forks themselves says what it forks. run and run_all
// are those of children.hpp.
#pragma once

#include <cstddef>

namespace bench {

struct one_by_one {
  template <class... Parts>
  static void run(const Parts&... parts) noexcept {
    (parts(), ...);
  }
  template <class Record>
  static void run_all(Record* first, std::size_t count) {
    for (std::size_t index = 0; index < count; ++index) first[index].run();
  }
};

// Made and joined so that one worker runs them in their order: neighbours in memory are often neighbours in it.

}  // namespace bench
