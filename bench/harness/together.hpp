// Ways to do things that do not depend on each other: one after the other here; as threads, forks
// or tasks where a runtime says how. A kernel whose parts are not tiny is written once over them;
// one that measures the forks themselves says what it forks. run and run_all are those of
// children.hpp.
//
// Parts are made and joined so that one worker runs them in their order: neighbours in memory are
// often neighbours in it.
#pragma once

#include <cstddef>
#include <utility>

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

template <class Work>
struct part_or_leaf {
  Work work;
  bool is_leaf;

  void operator()() const { work(); }
};

// A part for Way::run; is_leaf: it makes no children and waits for none. Only ways that give
// leaves a form of their own keep that.
template <class Way, class Work>
auto leaf_when([[maybe_unused]] bool is_leaf, Work work) {
  if constexpr (requires { Way::knows_leaves; })
    return part_or_leaf<Work>{std::move(work), is_leaf};
  else
    return work;
}

}  // namespace bench
