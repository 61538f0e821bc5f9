// many-lace: Lace's tasks on the machine of many CPUs, compiled from the folder that MANY_LACE names.
#include <lace.h>

#include <cstdlib>

#include "kernels/fib/fib.hpp"
#include "kernels/lace.hpp"
#include "kernels/queens/queens.hpp"
#include "kernels/quicksort/quicksort.hpp"
#include "kernels/tree/tree.hpp"
#include "kernels/uts/uts.hpp"
#include "many.h"
#include "programs/driver.hpp"

namespace {

using namespace bench;

constexpr std::uint64_t any_size = ~std::uint64_t{0};
constexpr many_program::program programs[] = {
    {"fib", &fib::every_call, fib::run_lace, 27, any_size},
    {"fib-cutoff", &fib::with_cutoff, fib::run_lace_cutoff, 30, any_size},
    {"uts-t1", &uts::t1, uts::run<uts::make_t1, uts::count_lace>, 9, 10},
    {"uts-t3", &uts::t3, uts::run<uts::make_t3, uts::count_lace>, 500, 2000},
    {"uts-t1l", &uts::t1l, uts::run<uts::make_t1l, uts::count_lace>, 11, 13},
    {"tree", &tree::tree, tree::run_lace, 1 << 16, any_size},
    {"queens", &queens::queens, queens::run_lace, 10, any_size},
    {"quicksort", &quicksort::with_cutoff, quicksort::run_lace, 100'000, any_size},
};

constexpr std::size_t deque_tasks = 1 << 15;

VOID_TASK_2(halves, std::uint64_t, begin, std::uint64_t, end) {
  if (end - begin == 1) {
    many_program::step();
    return;
  }
  const std::uint64_t middle = begin + (end - begin) / 2;
  SPAWN(halves, middle, end);
  CALL(halves, begin, middle);
  SYNC(halves);
}

void loop(std::uint64_t steps) { RUN(halves, 0, steps); }

TASK_2(int, first, int, argument_count, char**, arguments) {
  return many_program::drive({"lace", programs, loop, nullptr, nullptr}, argument_count, arguments);
}

}  // namespace

int main(int argument_count, char** arguments) {
  lace_start(many_cpus(), deque_tasks);
  const int status = RUN(first, argument_count, arguments);
  std::exit(status);
}
