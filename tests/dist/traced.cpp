// Steals between ranks, one in each root at least, whose clocks are not alike: that of a node is
// seconds ahead of rank 0's, and one part in a hundred fast, each by its number. The trace must
// show them in one time all the same: trace_test.py, tests/tools/traces.py.
#include <weft/dist.hpp>
#include <weft/fork.hpp>
#include <weft/global.hpp>

#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "dist/see/tracing.hpp"

using namespace weft::dist;

namespace {

constexpr std::uint64_t rounds = 10, ahead = 20'000'000'000;

using cells = global_array<std::uint64_t>;
using first_cell = global<std::uint64_t>;

// The cell of each rank lies in its own memory.
void wait_for_another(first_cell first, std::uint64_t wanted) {
  const std::uint64_t* const mine = first[rank()].local();
  if (mine == nullptr) std::abort();
  while (__atomic_load_n(mine, __ATOMIC_ACQUIRE) < wanted) continue;
}

void write_to_others(first_cell first, std::uint64_t value) {
  for (int each = 0; each < ranks(); ++each) {
    if (each != rank()) first[each].put(value);
  }
}

// Forks until the oldest forker is there for the others, then computes until one has gone on with
// it.
int descend(first_cell first, std::uint64_t round, int levels) noexcept {
  if (levels == 0) {
    wait_for_another(first, round);
    return rank();
  }
  auto below = weft::fork([=] { return descend(first, round, levels - 1); });
  return below.join();
}

bool is_stolen_in(first_cell first, std::uint64_t round) {
  return root([first, round] {
    auto leaf = weft::fork([first, round] { return descend(first, round, 4); });
    const int here = rank();
    write_to_others(first, round);
    return leaf.join() != here;
  });
}

}  // namespace

extern "C" std::uint64_t weft_dist_change_time(int node, std::uint64_t time) {
  const auto number = static_cast<std::uint64_t>(node);
  return time + number * ahead + time / 100 * number;
}

int main() {
  const cells all(static_cast<std::size_t>(ranks()));
  bool is_right = true;
  for (std::uint64_t round = 1; round <= rounds; ++round) is_right = is_stolen_in(all.begin(), round) && is_right;
  if (!is_right) std::printf("rank %d: nothing was stolen\n", rank());
  return is_right ? EXIT_SUCCESS : EXIT_FAILURE;
}
