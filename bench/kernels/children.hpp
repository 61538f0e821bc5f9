// The cells of a runtime whose children are C++ callables: every kernel over what it offers its
// threads (harness/threads.hpp), or over its tasks (harness/children.hpp).
#pragma once

#include <algorithm>
#include <array>

#include "harness/children.hpp"
#include "harness/runtimes.hpp"
#include "kernels/blocked/blocked.hpp"
#include "kernels/blocked/children.hpp"
#include "kernels/btc/children.hpp"
#include "kernels/cells.hpp"
#include "kernels/chapel.hpp"
#include "kernels/comp/children.hpp"
#include "kernels/creation/children.hpp"
#include "kernels/fib/children.hpp"
#include "kernels/hash/children.hpp"
#include "kernels/lwt.hpp"
#include "kernels/matmul/matmul.hpp"
#include "kernels/mergesort/mergesort.hpp"
#include "kernels/pentomino/children.hpp"
#include "kernels/ping_pong/children.hpp"
#include "kernels/queens/children.hpp"
#include "kernels/queens_array/children.hpp"
#include "kernels/queens_board/queens_board.hpp"
#include "kernels/quicksort/children.hpp"
#include "kernels/strassen/strassen.hpp"
#include "kernels/thread_ops/children.hpp"
#include "kernels/tree/children.hpp"
#include "kernels/uts/children.hpp"
#include "kernels/yield/children.hpp"

namespace bench {

inline constexpr std::string_view no_condition = "it has no condition variables";

template <class Way>
constexpr std::array<cell, 20> cells_by() {
  return {{
      {&fib::every_call, fib::run_by<Way>},
      {&fib::with_cutoff, fib::run_cutoff_by<Way>},
      {&uts::t1, uts::run<uts::make_t1, uts::count_by<Way>>},
      {&uts::t3, uts::run<uts::make_t3, uts::count_by<Way>>},
      {&uts::t1l, uts::run<uts::make_t1l, uts::count_by<Way>>},
      {&queens::queens, queens::run_by<Way>},
      {&queens_array::queens_array, queens_array::run_by<Way>},
      {&queens_board::queens_board, queens_board::run_by<Way>},
      {&quicksort::with_cutoff, quicksort::run<quicksort::sort_by<Way, quicksort::cutoff>>},
      {&quicksort::every_segment, quicksort::run<quicksort::sort_by<Way, quicksort::no_cutoff>>},
      {&mergesort::mergesort, mergesort::run<Way>},
      {&matmul::matmul, matmul::run<matmul::multiply_add<Way>, matmul::blocks>},
      {&strassen::strassen, matmul::run<strassen::multiply<Way>, strassen::blocks>},
      {&tree::tree, tree::run_by<Way>},
      {&btc::btc, btc::run_by<Way>},
      {&pentomino::pentomino, pentomino::run_by<Way>},
      {&comp::comp, comp::run_by<Way>},
      {&creation::flat, creation::run_flat_by<Way>},
      {&creation::nested, creation::run_nested_by<Way>},
      {&hash::hash, hash::run_by<Way>},
  }};
}

// The kernels whose threads wait for each other or give way to each other.
template <class Threads>
constexpr std::array<cell, 8> cells_of_waiting_threads() {
  cell for_yield_to{&yield::to, nullptr, no_yield_to};
  if constexpr (has_yield_to<Threads>) for_yield_to = {&yield::to, yield::run_to_by<Threads>};
  cell for_condition{&ping_pong::condition, nullptr, no_condition};
  if constexpr (has_condition<Threads>) for_condition = {&ping_pong::condition, ping_pong::run_condition_by<Threads>};
  return {{
      {&yield::any, yield::run_by<Threads>},
      for_yield_to,
      {&ping_pong::mutex_handover, ping_pong::run_mutex_by<Threads>},
      for_condition,
      {&ping_pong::channel, ping_pong::run_channel_by<Threads>},
      {&blocked::blocked, blocked::run_by<Threads>},
      {&thread_ops::without_yields, thread_ops::run_by<Threads, thread_ops::no_yields>},
      {&thread_ops::with_yields, thread_ops::run_by<Threads, thread_ops::yields>},
  }};
}

template <class Threads>
constexpr auto cells_of_threads() {
  using way = as_threads_of<typename Threads::thread>;
  return join_cells(cells_by<way>(), chapel_cells<way>, cells_of_waiting_threads<Threads>(), lwt_cells<way>,
                    lwt_unit_cells<lwt::thread_units<typename Threads::thread>>);
}

template <class Way>
constexpr auto cells_of_tasks(std::string_view why_no_yield = a_task_cannot_block) {
  return join_cells(cells_by<Way>(), chapel_cells<Way>, cells_without_threads(a_task_cannot_block, why_no_yield));
}

// Of runtimes that make leaves tasklets; the others are threads.
template <class Way>
constexpr auto cells_of_tasklets() {
  constexpr std::string_view unable = "a tasklet cannot block or give way";
  constexpr std::array experiments = {&chapel_quicksort::on_one_level, &chapel_quicksort::on_levels_for_workers,
                                      &chapel_quicksort::on_ten_levels, &chapel_quicksort::on_all_levels,
                                      &chapel_tree::chapel_tree};
  auto cells = join_cells(cells_by<Way>(), chapel_cells<Way>, cells_without_threads(unable, unable),
                          lwt_cells_without_loops(not_written_yet), lwt_cells_without_units(not_written_yet));
  for (cell& each : cells) {
    if (each.of == &uts::t3)
      each = {&uts::t3, nullptr, "which nodes are leaves, and could be tasklets, is not known before they run"};
    if (each.of == &creation::nested) each = {&creation::nested, nullptr, "a tasklet cannot wait for its child"};
    if (std::ranges::find(experiments, each.of) != experiments.end()) each = {each.of, nullptr, not_written_yet};
  }
  return cells;
}

}  // namespace bench
