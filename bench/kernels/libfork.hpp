// The bodies of the kernels for libfork: kernels/<kernel>/libfork.cpp. Its forks run at once, and
// what may be stolen is the rest of their parent; the last child of a parent is called.
#pragma once

#include <libfork.hpp>

#include "harness/kernel.hpp"
#include "kernels/uts/uts.hpp"

namespace bench {

lf::lazy_pool& libfork_pool();  // runtimes/libfork.cpp

template <class Record>
inline constexpr auto run_records = [](auto, Record* first, std::size_t count) -> lf::task<void> {
  auto const run_record = [](auto, Record* record) -> lf::task<void> {
    record->run();
    co_return;
  };
  for (std::size_t index = 0; index + 1 < count; ++index) co_await lf::fork(run_record)(first + index);
  co_await lf::call(run_record)(first + count - 1);
  co_await lf::join;
};

// From outside its pool alone.
struct as_libfork_tasks {
  template <class Record>
  static void run_all(Record* first, std::size_t count) {
    lf::sync_wait(libfork_pool(), run_records<Record>, first, count);
  }
};
// Runs a task in the pool, the watch there around it: handing the work over from outside, and
// waiting for it there, is not measured.
template <class Task, class... Arguments>
void run_watched(stopwatch& watch, Task task, Arguments... arguments) {
  constexpr auto watched = [](auto, stopwatch* around, Task called, Arguments... with) -> lf::task<void> {
    around->start();
    co_await lf::call(called)(with...);
    co_await lf::join;
    around->stop();
  };
  lf::sync_wait(libfork_pool(), watched, &watch, task, arguments...);
}
template <class Result, class Task, class... Arguments>
Result result_watched(stopwatch& watch, Task task, Arguments... arguments) {
  constexpr auto watched = [](auto, stopwatch* around, Result* result, Task called, Arguments... with) -> lf::task<void> {
    around->start();
    co_await lf::call(result, called)(with...);
    co_await lf::join;
    around->stop();
  };
  Result result{};
  lf::sync_wait(libfork_pool(), watched, &watch, &result, task, arguments...);
  return result;
}

namespace fib {
kernel_run run_libfork(const kernel_input& input, stopwatch& watch);
kernel_run run_libfork_cutoff(const kernel_input& input, stopwatch& watch);
}  // namespace fib
namespace uts {
kernel_run run_libfork(const tree& tree, stopwatch& watch);

template <tree_maker Make>
kernel_run run_libfork_on(const kernel_input& input, stopwatch& watch) {
  return run_libfork(Make(input.size), watch);
}
}  // namespace uts
namespace queens {
kernel_run run_libfork(const kernel_input& input, stopwatch& watch);
}
namespace queens_array {
kernel_run run_libfork(const kernel_input& input, stopwatch& watch);
}
namespace quicksort {
kernel_run run_libfork(const kernel_input& input, stopwatch& watch);
kernel_run run_libfork_every(const kernel_input& input, stopwatch& watch);
}  // namespace quicksort
namespace mergesort {
kernel_run run_libfork(const kernel_input& input, stopwatch& watch);
}
namespace matmul {
kernel_run run_libfork(const kernel_input& input, stopwatch& watch);
}
namespace strassen {
kernel_run run_libfork(const kernel_input& input, stopwatch& watch);
}
namespace tree {
kernel_run run_libfork(const kernel_input& input, stopwatch& watch);
}
namespace btc {
kernel_run run_libfork(const kernel_input& input, stopwatch& watch);
}
namespace pentomino {
kernel_run run_libfork(const kernel_input& input, stopwatch& watch);
}
namespace comp {
kernel_run run_libfork(const kernel_input& input, stopwatch& watch);
}
namespace creation {
kernel_run run_libfork_flat(const kernel_input& input, stopwatch& watch);
kernel_run run_libfork_nested(const kernel_input& input, stopwatch& watch);
}  // namespace creation

}  // namespace bench
