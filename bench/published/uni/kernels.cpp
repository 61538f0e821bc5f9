// A kernel of the matrix on ranks, `weft launch -n P uni-kernels NAME SIZE HOW`, or on the workers
// of one process, `uni-kernels-threads NAME SIZE HOW WORKERS`. Rank 0 prints what bench/published
// reads. The seconds are those of the kernel's own stopwatch, which moves with the root. HOW:
//   forks        the text of the matrix: what its forks carry may be addresses of the stack
//   values       the text over values (harness/by_value.hpp)
//   sequential   plain calls
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "cilksort.hpp"
#include "harness/kernel.hpp"
#include "kernels/btc/btc.hpp"
#include "kernels/by_value.hpp"
#include "kernels/cilksort/by_value.hpp"
#include "kernels/fib/fib.hpp"
#include "kernels/pentomino/pentomino.hpp"
#include "kernels/queens/queens.hpp"
#include "kernels/queens_array/queens_array.hpp"
#include "kernels/uts/uts.hpp"
#include "root.h"

namespace {

using bench::values_as_forks;

struct row {
  const bench::kernel* kernel;
  bench::kernel_body forks;
  bench::kernel_body sequential;
  bench::by_value_kernel values;  // of a kernel whose text for forks has values anyway: nothing
};

using bench::uts::count_fork;
using bench::uts::count_sequential;

const row rows[] = {
    {&bench::fib::every_call, bench::fib::run_fork, bench::fib::run_sequential, {}},
    {&bench::btc::btc, bench::btc::run_fork, bench::btc::run_sequential, {}},
    {&bench::queens::queens, bench::queens::run_fork, bench::queens::run_sequential, bench::queens::by_value<values_as_forks>},
    {&bench::queens_array::queens_array, bench::queens_array::run_fork, bench::queens_array::run_sequential,
     bench::queens_array::by_value<values_as_forks>},
    {&bench::uts::t1, bench::uts::run<bench::uts::make_t1, count_fork>, bench::uts::run<bench::uts::make_t1, count_sequential>,
     bench::uts::t1_by_value<values_as_forks>},
    {&bench::uts::t1l, bench::uts::run<bench::uts::make_t1l, count_fork>, bench::uts::run<bench::uts::make_t1l, count_sequential>,
     bench::uts::t1l_by_value<values_as_forks>},
    {&bench::uts::t3, bench::uts::run<bench::uts::make_t3, count_fork>, bench::uts::run<bench::uts::make_t3, count_sequential>,
     bench::uts::t3_by_value<values_as_forks>},
    {&bench::pentomino::pentomino, bench::pentomino::run_fork, bench::pentomino::run_sequential,
     bench::pentomino::by_value<values_as_forks>},
    // Its forks carry no addresses of the stack; one process's memory is no memory of all ranks.
    {&bench::cilksort::cilksort, nullptr, bench::cilksort::run_by_value<bench::values_one_by_one, bench::cilksort::own_memory>,
     cilksort_here},
    {&bench::comp::comp, bench::comp::run_fork, bench::comp::run_sequential, bench::comp::by_value<values_as_forks>},
};

// A kernel's body in one of its texts; null: it has no such text.
bench::kernel_body body_of(const row& wanted, std::string_view how) {
  if (how == "forks") return wanted.forks;
  if (how == "values") return wanted.values.run;
  return how == "sequential" ? wanted.sequential : nullptr;
}

// What is measured. The body is a function of the program, which lies at one address on all ranks.
struct task {
  bench::kernel_body body;
  std::uint64_t size, answer;
  double seconds;
};

void run(void* work) {
  task own;
  std::memcpy(&own, work, sizeof own);
  bench::stopwatch watch;
  bench::kernel_input input{};
  input.size = own.size;
  own.answer = own.body(input, watch).answer;
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
  std::fprintf(stderr, "usage: [weft launch -n RANKS] %s NAME SIZE forks|values|sequential [WORKERS]; names:", program);
  for (const row& each : rows)
    std::fprintf(stderr, " %.*s%s", static_cast<int>(each.kernel->name.size()), each.kernel->name.data(),
                 each.values.run == nullptr ? " (no values)" : "");
  std::fprintf(stderr, "\n");
  return 2;
}

void print(const task& done, bool is_right) {
  const root_counts counts = read_root_counts();
  std::printf(
      R"({"format": "weft-figures-1", "correct": %s, "figures": {"seconds": %.9f, "kept": %llu, "steals_of_rank_0": %llu}, "facts": {}})"
      "\n",
      is_right ? "true" : "false", done.seconds, counts.kept, counts.steals);
}

}  // namespace

int main(int argc, char** argv) {
  const row* const wanted = argc == 4 || argc == 5 ? find(argv[1]) : nullptr;
  if (wanted == nullptr) return refuse(argv[0]);
  bench::kernel_input input{};
  input.size = std::strtoull(argv[2], nullptr, 10);
  task own{body_of(*wanted, argv[3]), input.size, 0, 0};
  const auto workers = argc == 5 ? static_cast<unsigned>(std::strtoul(argv[4], nullptr, 10)) : 1U;
  if (own.body == nullptr || input.size == 0 || input.size > wanted->kernel->max_size || workers == 0) return refuse(argv[0]);
  if (own.body != wanted->forks && wanted->values.prepare != nullptr) wanted->values.prepare(input);
  if (run_root(workers, run, &own, sizeof own)) print(own, own.answer == wanted->kernel->expected(input));
  return 0;
}
