// A kernel of the matrix on ranks: `weft launch -n P uni-kernels NAME SIZE`; on one rank also
// `uni-kernels NAME SIZE sequential`. Rank 0 prints what bench/published reads. The seconds are those
// of the kernel's own stopwatch, which moves with the root.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include <weft/dist.h>

#include "harness/kernel.hpp"
#include "kernels/btc/btc.hpp"
#include "kernels/fib/fib.hpp"
#include "kernels/pentomino/pentomino.hpp"
#include "kernels/queens/queens.hpp"
#include "kernels/uts/uts.hpp"

namespace {

struct row {
  const bench::kernel* kernel;
  bench::kernel_body forks;
  bench::kernel_body sequential;
};

using bench::uts::count_fork;
using bench::uts::count_sequential;

const row rows[] = {
    {&bench::fib::every_call, bench::fib::run_fork, bench::fib::run_sequential},
    {&bench::btc::btc, bench::btc::run_fork, bench::btc::run_sequential},
    {&bench::queens::queens, bench::queens::run_fork, bench::queens::run_sequential},
    {&bench::uts::t1, bench::uts::run<bench::uts::make_t1, count_fork>, bench::uts::run<bench::uts::make_t1, count_sequential>},
    {&bench::uts::t3, bench::uts::run<bench::uts::make_t3, count_fork>, bench::uts::run<bench::uts::make_t3, count_sequential>},
    {&bench::pentomino::pentomino, bench::pentomino::run_fork, bench::pentomino::run_sequential},
};

struct task {
  std::uint64_t row, size, is_sequential, answer;
  double seconds;
};

void run(void* work) {
  task own;
  std::memcpy(&own, work, sizeof own);
  bench::stopwatch watch;
  bench::kernel_input input{};
  input.size = own.size;
  const row& wanted = rows[own.row];
  own.answer = (own.is_sequential != 0 ? wanted.sequential : wanted.forks)(input, watch).answer;
  own.seconds = watch.seconds();
  std::memcpy(work, &own, sizeof own);
}

const row* find(std::string_view name) {
  for (const row& each : rows) {
    if (each.kernel->name == name) return &each;
  }
  return nullptr;
}

int refuse(const char* program) {
  std::fprintf(stderr, "usage: [weft launch -n RANKS] %s NAME SIZE [sequential]; names:", program);
  for (const row& each : rows)
    std::fprintf(stderr, " %.*s", static_cast<int>(each.kernel->name.size()), each.kernel->name.data());
  std::fprintf(stderr, "\n");
  return 2;
}

void print(const task& done, bool is_right) {
  weft_dist_counts counts;
  weft_dist_read_counts(&counts);
  std::printf(
      R"({"format": "weft-figures-1", "correct": %s, "figures": {"seconds": %.9f, "kept": %llu, "steals_of_rank_0": %llu}, "facts": {"ranks": %d}})"
      "\n",
      is_right ? "true" : "false", done.seconds, static_cast<unsigned long long>(counts.kept),
      static_cast<unsigned long long>(counts.steals), weft_dist_ranks());
}

}  // namespace

int main(int argc, char** argv) {
  const row* const wanted = argc == 3 || argc == 4 ? find(argv[1]) : nullptr;
  if (wanted == nullptr || (argc == 4 && std::string_view(argv[3]) != "sequential")) return refuse(argv[0]);
  task own{static_cast<std::uint64_t>(wanted - rows), std::strtoull(argv[2], nullptr, 10), argc == 4 ? 1U : 0U, 0, 0};
  if (own.size == 0 || own.size > wanted->kernel->max_size) return refuse(argv[0]);
  if (weft_dist_root(run, &own, sizeof own) != WEFT_OK) return 1;
  if (weft_dist_rank() != 0) return 0;
  bench::kernel_input input{};
  input.size = own.size;
  print(own, own.answer == wanted->kernel->expected(input));
  return 0;
}
