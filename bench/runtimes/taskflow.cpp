// Taskflow: task groups, made by the executor's workers.
#include <memory>
#include <string>
#include <taskflow/taskflow.hpp>

#include "harness/children.hpp"
#include "harness/processors.hpp"
#include "kernels/children.hpp"

namespace bench {

namespace {

std::unique_ptr<tf::Executor> executor;

class group {
 public:
  template <class Part>
  void spawn(const Part& part) {
    tasks_.silent_async([its = &part] { (*its)(); });
  }
  template <class Record>
  void spawn_record(Record* record) {
    tasks_.silent_async([record] { record->run(); });
  }
  void wait() { tasks_.corun(); }

 private:
  tf::TaskGroup tasks_ = executor->task_group();
};

constexpr auto cells = cells_of_tasks<as_tasks_of<group>>();

unsigned start(unsigned workers) {
  unsigned const count = workers == 0 ? usable_processors() : workers;
  executor = std::make_unique<tf::Executor>(count);
  return count;
}
void stop() { executor.reset(); }

void enter(void (*function)(void*), void* argument) {
  executor->async([=] { function(argument); }).get();
}

std::string version() { return std::string("Taskflow ") + tf::version(); }
std::string settings(unsigned) { return "TaskGroup"; }

constexpr runtime runtimes[] = {{"taskflow", "Taskflow tasks", child_kind::task, start, stop, cells, version, settings, enter}};

}  // namespace

std::span<const runtime> all_runtimes() { return runtimes; }

}  // namespace bench
