// The objects of the benchmarks' forks, unchanged, on libweft-dist: each answers as its kernel
// says, on any number of ranks.
//
//   kernels [name size]...     without words: all, small
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include <weft/dist.h>

#include "steals.hpp"

#include "harness/kernel.hpp"
#include "kernels/btc/btc.hpp"
#include "kernels/fib/fib.hpp"
#include "kernels/pentomino/pentomino.hpp"
#include "kernels/queens/queens.hpp"
#include "kernels/uts/uts.hpp"

namespace {

struct row {
  const bench::kernel* kernel;
  bench::kernel_body body;
  std::uint64_t size;
  bool moves = true;  // its forks hold no address of a stack
};

const row rows[] = {
    {&bench::fib::every_call, bench::fib::run_fork, 22},
    {&bench::fib::with_cutoff, bench::fib::run_fork_cutoff, 25, false},
    {&bench::btc::btc, bench::btc::run_fork, 14},
    {&bench::queens::queens, bench::queens::run_fork, 8, false},
    {&bench::uts::t1, bench::uts::run<bench::uts::make_t1, bench::uts::count_fork>, 5, false},
    {&bench::pentomino::pentomino, bench::pentomino::run_fork, 4, false},
};

struct task {
  std::uint64_t row, size, answer;
};

void run(void* work) {
  task own;
  std::memcpy(&own, work, sizeof own);
  bench::stopwatch watch;
  bench::kernel_input input{};
  input.size = own.size;
  own.answer = rows[own.row].body(input, watch).answer;
  std::memcpy(work, &own, sizeof own);
}

bool is_right(std::size_t which, std::uint64_t size) {
  task own{which, size, 0};
  if (weft_dist_root(run, &own, sizeof own) != WEFT_OK) return false;
  bench::kernel_input input{};
  input.size = size;
  const std::uint64_t expected = rows[which].kernel->expected(input);
  const auto name = rows[which].kernel->name;
  if (own.answer != expected)
    std::printf("rank %d: %.*s(%lu) is %lu, not %lu\n", weft_dist_rank(), static_cast<int>(name.size()), name.data(), size,
                own.answer, expected);
  return own.answer == expected;
}

// A small kernel may be over before another rank has woken up.
bool is_right_while_stolen(std::size_t which, std::uint64_t size) {
  constexpr int most_rounds = 100, wanted = 20;
  static all_steals steals;
  const int before = steals.count();
  for (int round = 0; round < most_rounds; ++round) {
    if (!is_right(which, size)) return false;
    if (weft_dist_ranks() == 1 || !rows[which].moves || steals.count() - before >= wanted) break;
  }
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  bool all_right = true;
  for (std::size_t which = 0; which < sizeof rows / sizeof *rows; ++which) {
    std::uint64_t size = rows[which].size;
    bool is_wanted = argc < 3;
    for (int i = 1; i + 1 < argc; i += 2) {
      if (std::string_view(argv[i]) != rows[which].kernel->name) continue;
      is_wanted = true;
      size = std::strtoull(argv[i + 1], nullptr, 10);
    }
    if (is_wanted && !is_right_while_stolen(which, size)) all_right = false;
  }
  return all_right ? 0 : 1;
}
