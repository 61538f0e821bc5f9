// Random programs on several ranks: each must answer as plain calls do.
//
//   random COUNT FIRST_SEED
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <weft/dist.h>

#include "programs.hpp"

namespace {

constexpr std::uint64_t depth = 9;

void run(void* work) {
  programs::child own;
  std::memcpy(&own, work, sizeof own);
  own.value = programs::value_of<programs::forking>(own.value, own.depth);
  std::memcpy(work, &own, sizeof own);
}

}  // namespace

int main(int argc, char** argv) {
  const std::uint64_t count = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 100;
  const std::uint64_t first = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1;
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    programs::child work{seed, depth};
    if (weft_dist_root(run, &work, sizeof work) != WEFT_OK) return 1;
    const std::uint64_t expected = programs::value_of<programs::plain>(seed, depth);
    if (work.value == expected) continue;
    std::printf("seed %lu on rank %d of %d: %lx, not %lx\n", seed, weft_dist_rank(), weft_dist_ranks(), work.value, expected);
    return 1;
  }
  return 0;
}
