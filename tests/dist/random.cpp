// Random programs on several ranks: each must answer as plain calls do. Ranks must steal meanwhile.
//
//   random COUNT FIRST_SEED [plain]     plain: no thread waits for a future that is not set
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <weft/dist.h>

#include "programs.hpp"
#include "steals.hpp"

namespace {

constexpr std::uint64_t depth = 12;

void run(void* work) {
  programs::child own;
  std::memcpy(&own, work, sizeof own);
  own.value = programs::value_of<programs::forking>(own.value, own.depth);
  std::memcpy(work, &own, sizeof own);
}

// The words of the program that runs next, cleared; no rank still reads them.
void clear_sums(weft_global all, std::uint64_t seed) {
  const std::uint64_t none[programs::sums] = {};
  programs::sums_at = all + seed % 2 * sizeof none;
  if (weft_dist_rank() == 0) weft_global_put(programs::sums_at, none, sizeof none);
  std::memset(programs::plain_sums, 0, sizeof programs::plain_sums);
}

bool are_sums_right() {
  std::uint64_t found[programs::sums];
  weft_global_get(found, programs::sums_at, sizeof found);
  return std::memcmp(found, programs::plain_sums, sizeof found) == 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::uint64_t count = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 100;
  const std::uint64_t first = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1;
  programs::may_wait = argc <= 3;
  weft_global all = 0;
  if (weft_global_array(2 * programs::sums, sizeof(std::uint64_t), &all) != WEFT_OK) return 1;
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    programs::child work{seed, depth};
    clear_sums(all, seed);
    if (weft_dist_root(run, &work, sizeof work) != WEFT_OK) return 1;
    const std::uint64_t expected = programs::value_of<programs::plain>(seed, depth);
    if (work.value == expected && are_sums_right()) continue;
    std::printf("seed %lu on rank %d of %d: %lx, not %lx\n", seed, weft_dist_rank(), weft_dist_ranks(), work.value, expected);
    return 1;
  }
  all_steals steals;
  if (weft_dist_ranks() == 1 || count < 50 || steals.count() != 0) return 0;
  std::printf("rank %d of %d: no rank has stolen anything\n", weft_dist_rank(), weft_dist_ranks());
  return 1;
}
