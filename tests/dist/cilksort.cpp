// The benchmark's cilksort over the global heap, on plain calls and as forks: sizes that no block
// and no piece divides, too.
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <weft/dist.h>

#include "kernels/cilksort/global.hpp"

namespace {

struct task {
  std::uint64_t size, answer;
};

template <class Way>
void run(void* work) {
  task own;
  std::memcpy(&own, work, sizeof own);
  bench::kernel_input input{};
  input.size = own.size;
  bench::stopwatch watch;
  own.answer = bench::cilksort::over_global_heap<Way>.run(input, watch).answer;
  std::memcpy(work, &own, sizeof own);
}

bool is_right(std::uint64_t size, const char* way, void (*run)(void* work)) {
  bench::kernel_input input{};
  input.size = size;
  bench::cilksort::make_global_arrays(input);
  task own{size, 0};
  const std::uint64_t expected = bench::cilksort::cilksort.expected(input);
  if (weft_dist_root(run, &own, sizeof own) == WEFT_OK && own.answer == expected) return true;
  std::printf("rank %d: cilksort of %lu, %s: %lu, not %lu\n", weft_dist_rank(), size, way, own.answer, expected);
  return false;
}

}  // namespace

int main() {
  bool is_all_right = true;
  const bool is_slow = std::getenv("WEFT_LAUNCH_MPI") != nullptr;
  for (const std::uint64_t size :
       {std::uint64_t{1}, std::uint64_t{4'097}, std::uint64_t{20'003}, bench::cilksort::cilksort.quick_size}) {
    if (is_slow && size > 20'003) break;
    if (!is_slow) is_all_right &= is_right(size, "plain calls", run<bench::values_one_by_one>);
    is_all_right &= is_right(size, "forks", run<bench::values_as_forks>);
  }
  weft_dist_counts counts;
  weft_dist_read_counts(&counts);
  if (counts.kept != 0) std::printf("rank %d: %lu forks of values stayed in place\n", weft_dist_rank(), counts.kept);
  return is_all_right && counts.kept == 0 ? 0 : 1;
}
