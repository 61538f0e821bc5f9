// The benchmarks' kernels over values alone, which move between ranks: each kernel's small size, on
// plain calls and as forks.
#include <cstdio>
#include <cstring>

#include <weft/dist.h>

#include "steals.hpp"

#include "kernels/by_value.hpp"

namespace {

struct task {
  std::uint64_t kernel, size, answer;
};

template <class Way>
void run(void* work) {
  task own;
  std::memcpy(&own, work, sizeof own);
  bench::kernel_input input{};
  input.size = own.size;
  bench::stopwatch watch;
  own.answer = bench::kernels_by_value<Way>[own.kernel].run(input, watch).answer;
  std::memcpy(work, &own, sizeof own);
}

bool is_right(std::uint64_t index, const char* way, void (*run)(void* work)) {
  const bench::by_value_kernel& which = bench::kernels_by_value<bench::values_as_forks>[index];
  bench::kernel_input input{};
  input.size = which.of->quick_size;
  if (which.prepare != nullptr) which.prepare(input);
  task own{index, input.size, 0};
  const std::uint64_t expected = which.of->expected(input);
  if (weft_dist_root(run, &own, sizeof own) == WEFT_OK && own.answer == expected) return true;
  std::printf("rank %d: %s, %s: %lu, not %lu\n", weft_dist_rank(), which.of->name.data(), way, own.answer, expected);
  return false;
}

}  // namespace

int main() {
  bool is_all_right = true;
  all_steals steals;
  for (std::uint64_t index = 0; index < bench::kernels_by_value<bench::values_as_forks>.size(); ++index) {
    is_all_right &= is_right(index, "plain calls", run<bench::values_one_by_one>);
    // A small kernel may be over before another rank has woken up.
    constexpr int most_rounds = 100, wanted = 20;
    const int before = steals.count();
    for (int round = 0; round < most_rounds && is_all_right; ++round) {
      is_all_right &= is_right(index, "forks", run<bench::values_as_forks>);
      if (weft_dist_ranks() == 1 || steals.count() - before >= wanted) break;
    }
  }
  weft_dist_counts counts;
  weft_dist_read_counts(&counts);
  if (counts.kept != 0) std::printf("rank %d: %lu forks of values stayed in place\n", weft_dist_rank(), counts.kept);
  return is_all_right && counts.kept == 0 ? 0 : 1;
}
