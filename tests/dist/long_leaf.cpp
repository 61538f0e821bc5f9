// Ranks that compute, and neither fork nor call Weft, until another rank has read and written their
// memory: inside a root, where the other rank must steal first, and outside. Only progress that
// does not wait for the rank ends it. Run on two nodes, or where each rank is one
// (tools.launch_mpi).
#include <weft/dist.hpp>
#include <weft/fork.hpp>
#include <weft/global.hpp>

#include <cstdint>
#include <cstdio>
#include <cstdlib>

using namespace weft::dist;

namespace {

using cells = global_array<std::uint64_t>;
using first_cell = global<std::uint64_t>;

// The cell of each rank lies in its own memory.
void wait_for_another(first_cell first, std::uint64_t wanted) {
  const std::uint64_t* const mine = first[rank()].local();
  if (mine == nullptr) std::abort();
  while (__atomic_load_n(mine, __ATOMIC_ACQUIRE) != wanted) continue;
}

void write_to_others(first_cell first, std::uint64_t value) {
  for (int each = 0; each < ranks(); ++each) {
    if (each != rank()) first[each].put(value);
  }
}

// Forks until the oldest forker is there for the others, then computes.
int descend(first_cell first, int levels) noexcept {
  if (levels == 0) {
    wait_for_another(first, 1);
    return rank();
  }
  auto below = weft::fork([=] { return descend(first, levels - 1); });
  return below.join();
}

bool leaf_of_a_root(first_cell first) {
  const bool is_elsewhere = root([first] {
    auto leaf = weft::fork([first] { return descend(first, 4); });
    const int here = rank();  // after a steal: the leaf ends only then
    write_to_others(first, 1);
    return leaf.join() != here;
  });
  return is_elsewhere;
}

bool outside_of_a_root(first_cell first) {
  if (rank() == 0)
    wait_for_another(first, 2);
  else if (first[0].get() != 2)
    first[0].put(2);
  return true;
}

}  // namespace

int main() {
  const cells all(static_cast<std::size_t>(ranks()));
  const bool is_right = leaf_of_a_root(all.begin()) && outside_of_a_root(all.begin());
  if (!is_right) std::printf("rank %d: wrong\n", rank());
  return is_right ? EXIT_SUCCESS : EXIT_FAILURE;
}
