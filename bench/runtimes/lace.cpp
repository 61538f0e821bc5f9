// Lace 1.4: tasks by its macros, a deque that never fills. The sorting and multiplying kernels,
// whose parts are not tiny, hand closures to one task, from functions that look up their worker;
// all others are tasks themselves.
#include <lace.h>

#include <string>

#include "harness/processors.hpp"
#include "harness/runtimes.hpp"
#include "kernels/btc/btc.hpp"
#include "kernels/cells.hpp"
#include "kernels/chapel.hpp"
#include "kernels/comp/comp.hpp"
#include "kernels/creation/creation.hpp"
#include "kernels/fib/fib.hpp"
#include "kernels/hash/hash.hpp"
#include "kernels/lace.hpp"
#include "kernels/matmul/matmul.hpp"
#include "kernels/mergesort/mergesort.hpp"
#include "kernels/pentomino/pentomino.hpp"
#include "kernels/queens/queens.hpp"
#include "kernels/queens_array/queens_array.hpp"
#include "kernels/quicksort/quicksort.hpp"
#include "kernels/strassen/strassen.hpp"
#include "kernels/tree/tree.hpp"

namespace bench {

using part_function = void (*)(const void*);

VOID_TASK_2(call_part, part_function, function, const void*, part) { function(part); }

namespace {

struct as_lace_tasks {
  template <class First, class... Others>
  static void run(const First& first, const Others&... others) {
    LACE_VARS;
    (SPAWN(call_part, call<Others>, &others), ...);
    first();
    for (std::size_t count = sizeof...(Others); count > 0; --count) SYNC(call_part);
  }

  template <class Record>
  static void run_all(Record* first, std::size_t count) {
    LACE_VARS;
    for (std::size_t index = count; --index > 0;) SPAWN(call_part, run_record<Record>, first + index);
    first->run();
    for (std::size_t index = count; --index > 0;) SYNC(call_part);
  }

 private:
  template <class Part>
  static void call(const void* part) {
    (*static_cast<const Part*>(part))();
  }
  template <class Record>
  static void run_record(const void* record) {
    static_cast<Record*>(const_cast<void*>(record))->run();
  }
};

constexpr auto own_cells = std::to_array<cell>({
    {&fib::every_call, fib::run_lace},
    {&fib::with_cutoff, fib::run_lace_cutoff},
    {&uts::t1, uts::run<uts::make_t1, uts::count_lace>},
    {&uts::t3, uts::run<uts::make_t3, uts::count_lace>},
    {&uts::t1l, uts::run<uts::make_t1l, uts::count_lace>},
    {&queens::queens, queens::run_lace},
    {&queens_array::queens_array, queens_array::run_lace},
    {&quicksort::with_cutoff, quicksort::run_lace},
    {&quicksort::every_segment, quicksort::run_lace_every},
    {&mergesort::mergesort, mergesort::run<as_lace_tasks>},
    {&matmul::matmul, matmul::run<matmul::multiply_add<as_lace_tasks>, matmul::blocks>},
    {&strassen::strassen, matmul::run<strassen::multiply<as_lace_tasks>, strassen::blocks>},
    {&tree::tree, tree::run_lace},
    {&btc::btc, btc::run_lace},
    {&pentomino::pentomino, pentomino::run_lace},
    {&comp::comp, comp::run_lace},
    {&creation::flat, creation::run_lace_flat},
    {&creation::nested, creation::run_lace_nested},
    {&hash::hash, nullptr, not_written_yet},
});
constexpr auto cells = join_cells(own_cells, chapel_cells<as_lace_tasks>, cells_without_threads(a_task_cannot_block));

constexpr std::size_t deque_tasks = std::size_t{1} << 20;

unsigned start(unsigned workers) {
  unsigned const count = workers == 0 ? usable_processors() : workers;
  lace_start(count, deque_tasks);
  return count;
}
void stop() { lace_stop(); }

using first_call = void (*)(void*);
VOID_TASK_2(call_body, first_call, function, void*, argument) { function(argument); }

// Lace's own worker calls the body: RUN within it is a plain call.
void enter(first_call function, void* argument) { RUN(call_body, function, argument); }

std::string version() { return "Lace " WEFT_RIVAL_VERSION; }
std::string settings(unsigned) { return "deques of 1 Mi tasks"; }

constexpr runtime runtimes[] = {{"lace", "Lace tasks", child_kind::task, start, stop, cells, version, settings, enter}};

}  // namespace

std::span<const runtime> all_runtimes() { return runtimes; }

}  // namespace bench
