// many-weft: Weft's forks and loops on the machine of many CPUs.
#include <weft/loops.h>
#include <weft/weft.h>

#include <cstdio>
#include <cstdlib>

#include "kernels/fib/fib.hpp"
#include "kernels/queens/queens.hpp"
#include "kernels/quicksort/quicksort.hpp"
#include "kernels/tree/tree.hpp"
#include "kernels/uts/uts.hpp"
#include "many.h"
#include "programs/driver.hpp"
#include "programs/weft_fields.hpp"

namespace {

using namespace bench;

constexpr std::uint64_t any_size = ~std::uint64_t{0};
constexpr many_program::program programs[] = {
    {"fib", &fib::every_call, fib::run_fork, 27, any_size},
    {"fib-cutoff", &fib::with_cutoff, fib::run_fork_cutoff, 30, any_size},
    {"uts-t1", &uts::t1, uts::run<uts::make_t1, uts::count_fork>, 9, 10},
    {"uts-t3", &uts::t3, uts::run<uts::make_t3, uts::count_fork>, 500, 2000},
    {"uts-t1l", &uts::t1l, uts::run<uts::make_t1l, uts::count_fork>, 11, 13},
    {"tree", &tree::tree, tree::run_fork, 1 << 16, any_size},
    {"queens", &queens::queens, queens::run_fork, 10, any_size},
    {"quicksort", &quicksort::with_cutoff, quicksort::run_fork, 100'000, any_size},
};

void must(weft_status status) {
  if (status == WEFT_OK) return;
  std::fprintf(stderr, "many-weft: %s\n", weft_status_name(status));
  std::exit(1);
}

void body(std::size_t begin, std::size_t end, void*) {
  for (; begin < end; ++begin) many_program::step();
}

void loop(std::uint64_t steps) { must(weft_parallel_for(0, steps, 1, body, nullptr)); }

weft_stats counted_before = WEFT_STATS_INIT;

void forget() { must(weft_stats_read(WEFT_ANY_WORKER, &counted_before)); }

void tell() {
  weft_stats now = WEFT_STATS_INIT;
  must(weft_stats_read(WEFT_ANY_WORKER, &now));
  many_tell("forks_taken", static_cast<double>(now.forks_taken - counted_before.forks_taken));
  many_tell("searches", static_cast<double>(now.searches - counted_before.searches));
  many_tell("thefts", static_cast<double>(now.thefts - counted_before.thefts));
  many_tell("sleeps", static_cast<double>(now.sleeps - counted_before.sleeps));
}

}  // namespace

int main(int argument_count, char** arguments) {
  weft_config config = WEFT_CONFIG_INIT;
  if (std::getenv("WEFT_WORKERS") == nullptr) config.workers = many_cpus();
  must(weft_init(&config));
  many_program::name_fields();
  const int status = many_program::drive({"weft", programs, loop, tell, forget}, argument_count, arguments);
  must(weft_finalize());
  return status;
}
