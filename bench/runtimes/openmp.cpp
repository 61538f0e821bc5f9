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

constexpr auto cells = cells_of_tasks<as_tasks_of<group>>("a taskyield may do nothing: it gives nobody a turn for certain");

unsigned start(unsigned workers) {
  unsigned const count = workers == 0 ? usable_processors() : workers;
  omp_set_dynamic(0);
  omp_set_num_threads(static_cast<int>(count));
  return count;
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

constexpr runtime runtimes[] = {
    {WEFT_OPENMP_NAME, "OpenMP tasks", child_kind::task, start, stop, cells, version, settings, enter}};

}  // namespace

std::span<const runtime> all_runtimes() { return runtimes; }

}  // namespace bench
