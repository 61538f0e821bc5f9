// A loop as one part a worker, each over neighbouring indices: what Chapel makes of `forall`. Parts
// of the same number see the same indices in every such loop of the same length, so that data may
// stay near the processor that touched it first.
#pragma once

#include <cstdint>

#include "harness/children.hpp"

namespace bench {

struct chunk {
  std::uint64_t first;
  std::uint64_t last;  // behind the last
};

// The index-th of `parts` nearly equal parts of 0 … count-1.
constexpr chunk chunk_of(std::uint64_t index, std::uint64_t parts, std::uint64_t count) {
  std::uint64_t const usual = count / parts;
  std::uint64_t const longer = count % parts;  // so many have one more
  std::uint64_t const first = index * usual + (index < longer ? index : longer);
  return {first, first + usual + (index < longer ? 1 : 0)};
}

template <class Body>
struct chunk_run {
  static constexpr bool is_for_another_worker = true;  // its maker has the next one to make, and is to make them all first

  const Body* body;
  chunk indices;

  static constexpr bool is_leaf() { return true; }
  void run() { (*body)(indices); }
};

// body(chunk) for each part; returns when all are done.
template <class Way, class Body>
void for_all(unsigned parts, std::uint64_t count, const Body& body) {
  records<chunk_run<Body>, 64> runs(parts);
  for (unsigned index = 0; index < parts; ++index) runs[index] = {&body, chunk_of(index, parts, count)};
  Way::run_all(runs.first(), parts);
}

}  // namespace bench
