// The bodies of the kernels for libfork: kernels/<kernel>/libfork.cpp. Its forks run at once, and what may be stolen is the rest of their
// parent; the last child of a parent is called.
#pragma once

#include <libfork.hpp>

#include "harness/kernel.hpp"
#include "kernels/uts/uts.hpp"

namespace bench {

lf::lazy_pool& libfork_pool();  // runtimes/libfork.cpp

// Runs a task in the pool, the watch there around it: handing the work over from outside, and waiting for it there, is not measured.
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

}  // namespace bench
