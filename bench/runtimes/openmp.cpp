// OpenMP tasks, with the runtime library of the compiler: libgomp or LLVM's. WEFT_OPENMP_NAME: the
// runtime's name here.
#include <omp.h>

#include <string>

#include "harness/children.hpp"
#include "harness/processors.hpp"
#include "kernels/children.hpp"

namespace bench {

namespace {

struct group {
  template <class Part>
  void spawn(const Part& part) {
    const Part* const its = &part;
#pragma omp task firstprivate(its)
    (*its)();
  }
  template <class Record>
  void spawn_record(Record* record) {
#pragma omp task firstprivate(record)
    record->run();
  }
  void wait() {
#pragma omp taskwait
  }
};

constexpr auto cells =
    join_cells(cells_of_tasks<as_tasks_of<group>>("a taskyield may do nothing: no other task gets a turn for certain"),
               lwt_cells<lwt::as_all_tasks_of<group>>, lwt_unit_cells<lwt::task_units<group>>);

// Each loop is a parallel region of its own, with a part of it for each of the region's threads;
// nothing is around it but, in nested loops, the outer loop's region.
struct as_regions {
  template <class Record>
  static void run_all(Record* first, std::size_t count) {
    int const threads = static_cast<int>(count);
#pragma omp parallel for schedule(static, 1) num_threads(threads)
    for (int index = 0; index < threads; ++index) first[index].run();
  }
};

constexpr std::string_view made_by_one_construct = "a region makes its threads and joins them in one construct";
constexpr std::string_view tasks_of_others = "the tasks of OpenMP are those of the other runtime of this program";
constexpr cell region_cells[] = {
    {&lwt::loop, lwt::run_loop<as_regions>},        {&lwt::nested_loops, lwt::run_nested_loops<as_regions>},
    {&lwt::tasks_of_one, nullptr, tasks_of_others}, {&lwt::tasks_of_all, nullptr, tasks_of_others},
    {&lwt::nested_tasks, nullptr, tasks_of_others}, {&lwt::create, nullptr, made_by_one_construct},
    {&lwt::join, nullptr, made_by_one_construct},
};

unsigned start(unsigned workers) {
  unsigned const count = workers == 0 ? usable_processors() : workers;
  omp_set_dynamic(0);
  omp_set_num_threads(static_cast<int>(count));
  return count;
}
unsigned start_regions(unsigned workers) {
  omp_set_max_active_levels(2);  // a region within a region has threads, too
  return start(workers);
}
void stop() {}

// The team's other threads wait for tasks at the barrier that ends the region.
void enter(void (*function)(void*), void* argument) {
#pragma omp parallel
#pragma omp single
  function(argument);
}

#if defined(__clang__)
constexpr const char* library = "LLVM libomp " __clang_version__;
#else
constexpr const char* library = "libgomp of gcc " __VERSION__;
#endif
std::string version() { return library; }
std::string settings(unsigned) { return ""; }
std::string settings_of_regions(unsigned) { return "two active levels of regions"; }

constexpr runtime runtimes[] = {
    {WEFT_OPENMP_NAME, "OpenMP tasks", child_kind::task, start, stop, cells, version, settings, enter},
    {WEFT_OPENMP_NAME "-regions", "OpenMP parallel loops", child_kind::task, start_regions, stop, region_cells, version,
     settings_of_regions},
};

}  // namespace

std::span<const runtime> all_runtimes() { return runtimes; }

}  // namespace bench
