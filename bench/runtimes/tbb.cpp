// oneTBB: parallel_invoke for children of a fixed number, a task_group for others, in an arena of
// as many slots as there are workers. Tried for the former, too, and slower: a task_group (10 %
// more in tree, else the same).
#include <tbb/global_control.h>
#include <tbb/parallel_invoke.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>
#include <tbb/version.h>

#include <memory>
#include <string>

#include "harness/children.hpp"
#include "harness/processors.hpp"
#include "kernels/children.hpp"

namespace bench {

namespace {

class group {
 public:
  template <class Part>
  void spawn(const Part& part) {
    tasks_.run([its = &part] { (*its)(); });
  }
  template <class Record>
  void spawn_record(Record* record) {
    tasks_.run([record] { record->run(); });
  }
  void wait() { tasks_.wait(); }

 private:
  tbb::task_group tasks_;
};

struct as_invocations : as_tasks_of<group> {
  template <class First, class... Others>
  static void run(const First& first, const Others&... others) {
    if constexpr (sizeof...(Others) == 0)
      first();
    else
      tbb::parallel_invoke(first, others...);
  }
  template <class Called, class Child>
  static void run_beside(const Called& called, const Child& child) {
    run(called, child);
  }
};

constexpr auto cells = cells_of_tasks<as_invocations>();

struct scheduler {
  explicit scheduler(unsigned workers)
      : limit(tbb::global_control::max_allowed_parallelism, workers), arena(static_cast<int>(workers)) {}
  tbb::global_control limit;
  tbb::task_arena arena;
};
std::unique_ptr<scheduler> started;

unsigned start(unsigned workers) {
  unsigned const count = workers == 0 ? usable_processors() : workers;
  started = std::make_unique<scheduler>(count);
  return count;
}
void stop() { started.reset(); }

void enter(void (*function)(void*), void* argument) {
  started->arena.execute([=] { function(argument); });
}

std::string version() { return std::string("oneTBB ") + TBB_runtime_version(); }
std::string settings(unsigned) { return "parallel_invoke, task_group"; }

constexpr runtime runtimes[] = {{"tbb", "oneTBB tasks", child_kind::task, start, stop, cells, version, settings, enter}};

}  // namespace

std::span<const runtime> all_runtimes() { return runtimes; }

}  // namespace bench
