// The cells of a runtime whose children are C++ callables: every kernel over what it offers its threads (harness/threads.hpp), or over its
// tasks (harness/children.hpp).
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>

#include "harness/children.hpp"
#include "harness/runtimes.hpp"
#include "kernels/blocked/blocked.hpp"
#include "kernels/blocked/children.hpp"
#include "kernels/chapel.hpp"
#include "kernels/fib/children.hpp"
#include "kernels/hash/hash.hpp"
#include "kernels/matmul/matmul.hpp"
#include "kernels/mergesort/mergesort.hpp"
#include "kernels/queens/children.hpp"
#include "kernels/queens_array/children.hpp"
#include "kernels/quicksort/children.hpp"
#include "kernels/strassen/strassen.hpp"
#include "kernels/thread_ops/children.hpp"
#include "kernels/tree/children.hpp"
#include "kernels/uts/children.hpp"

namespace bench {

inline constexpr std::string_view a_task_cannot_block = "a task cannot block";
inline constexpr std::string_view not_written_yet = "not written for this runtime";

template <class Way>
constexpr std::array<cell, 14> cells_by() {
  return {{
      {&fib::every_call, fib::run_by<Way>},
      {&fib::with_cutoff, fib::run_cutoff_by<Way>},
      {&uts::t1, uts::run<uts::make_t1, uts::count_by<Way>>},
      {&uts::t3, uts::run<uts::make_t3, uts::count_by<Way>>},
      {&uts::t1l, uts::run<uts::make_t1l, uts::count_by<Way>>},
      {&queens::queens, queens::run_by<Way>},
      {&queens_array::queens_array, queens_array::run_by<Way>},
      {&quicksort::with_cutoff, quicksort::run<quicksort::sort_by<Way, quicksort::cutoff>>},
      {&quicksort::every_segment, quicksort::run<quicksort::sort_by<Way, quicksort::no_cutoff>>},
      {&mergesort::mergesort, mergesort::run<Way>},
      {&matmul::matmul, matmul::run<matmul::multiply_add<Way>, matmul::blocks>},
      {&strassen::strassen, matmul::run<strassen::multiply<Way>, strassen::blocks>},
      {&tree::tree, tree::run_by<Way>},
      {&hash::hash, nullptr, not_written_yet},
  }};
}

template <std::size_t... Counts>
constexpr auto join_cells(const std::array<cell, Counts>&... lists) {
  std::array<cell, (Counts + ...)> all{};
  cell* end = all.data();
  ((end = std::ranges::copy(lists, end).out), ...);
  return all;
}

// The kernels whose threads wait for each other, with the reason why a runtime without threads lacks them.
constexpr std::array<cell, 3> cells_without_threads(std::string_view why_not) {
  return {{{&blocked::blocked, nullptr, why_not},
           {&thread_ops::without_yields, nullptr, why_not},
           {&thread_ops::with_yields, nullptr, why_not}}};
}

template <class Threads>
constexpr auto cells_of_threads() {
  using way = as_threads_of<typename Threads::thread>;
  return join_cells(cells_by<way>(), chapel_cells<way>,
                    std::array<cell, 3>{{{&blocked::blocked, blocked::run_by<Threads>},
                                         {&thread_ops::without_yields, thread_ops::run_by<Threads, thread_ops::no_yields>},
                                         {&thread_ops::with_yields, thread_ops::run_by<Threads, thread_ops::yields>}}});
}

template <class Group>
constexpr auto cells_of_tasks() {
  return join_cells(cells_by<as_tasks_of<Group>>(), chapel_cells<as_tasks_of<Group>>, cells_without_threads(a_task_cannot_block));
}

}  // namespace bench
