// The cells of Tascell: fib, and the programs of its authors that are searches or divide and
// conquer.
#pragma once

#include <algorithm>
#include <array>

#include "harness/runtimes.hpp"
#include "kernels/blocked/blocked.hpp"
#include "kernels/btc/btc.hpp"
#include "kernels/cells.hpp"
#include "kernels/chapel_quicksort/chapel_quicksort.hpp"
#include "kernels/chapel_tree/chapel_tree.hpp"
#include "kernels/comp/comp.hpp"
#include "kernels/creation/creation.hpp"
#include "kernels/fib/fib.hpp"
#include "kernels/hash/hash.hpp"
#include "kernels/lwt.hpp"
#include "kernels/matmul/matmul.hpp"
#include "kernels/mergesort/mergesort.hpp"
#include "kernels/pentomino/pentomino.hpp"
#include "kernels/ping_pong/ping_pong.hpp"
#include "kernels/queens/queens.hpp"
#include "kernels/queens_array/queens_array.hpp"
#include "kernels/queens_board/queens_board.hpp"
#include "kernels/quicksort/quicksort.hpp"
#include "kernels/random_access/random_access.hpp"
#include "kernels/strassen/strassen.hpp"
#include "kernels/stream/stream.hpp"
#include "kernels/stream_ep/stream_ep.hpp"
#include "kernels/thread_ops/thread_ops.hpp"
#include "kernels/tree/tree.hpp"
#include "kernels/uts/uts.hpp"
#include "kernels/yield/yield.hpp"

namespace bench {

namespace tascell_reasons {

inline constexpr std::string_view no_threads = "a Tascell task has no identity: those that wait for each other are threads";
inline constexpr std::string_view no_workspace = "written where a workspace or an argument is reused: its forks cost less";
inline constexpr std::string_view all_children = "all children are tasks there, and Tascell makes one only when it is asked";
inline constexpr std::string_view queens_are_boards = "queens-board is its form of it";

}  // namespace tascell_reasons

// What Tascell does not run, for both of its forms.
inline constexpr auto cells_without_tascell = [] {
  using namespace tascell_reasons;
  constexpr auto others = std::to_array<cell>({
      {&fib::with_cutoff, nullptr, all_children},
      {&uts::t1, nullptr, no_workspace},
      {&uts::t3, nullptr, no_workspace},
      {&uts::t1l, nullptr, no_workspace},
      {&queens::queens, nullptr, queens_are_boards},
      {&queens_array::queens_array, nullptr, queens_are_boards},
      {&quicksort::with_cutoff, nullptr, no_workspace},
      {&quicksort::every_segment, nullptr, no_workspace},
      {&mergesort::mergesort, nullptr, no_workspace},
      {&matmul::matmul, nullptr, no_workspace},
      {&strassen::strassen, nullptr, no_workspace},
      {&tree::tree, nullptr, no_workspace},
      {&stream::stream, nullptr, no_workspace},
      {&stream_ep::stream_ep, nullptr, no_workspace},
      {&random_access::random_access, nullptr, no_workspace},
      {&chapel_quicksort::on_one_level, nullptr, no_threads},
      {&chapel_quicksort::on_levels_for_workers, nullptr, no_threads},
      {&chapel_quicksort::on_ten_levels, nullptr, no_threads},
      {&chapel_quicksort::on_all_levels, nullptr, no_threads},
      {&chapel_tree::chapel_tree, nullptr, no_threads},
      {&btc::btc, nullptr, all_children},
      {&creation::flat, nullptr, all_children},
      {&creation::nested, nullptr, all_children},
      {&yield::any, nullptr, no_threads},
      {&yield::to, nullptr, no_threads},
      {&ping_pong::mutex_handover, nullptr, no_threads},
      {&ping_pong::condition, nullptr, no_threads},
      {&ping_pong::channel, nullptr, no_threads},
      {&blocked::blocked, nullptr, no_threads},
      {&thread_ops::without_yields, nullptr, no_threads},
      {&thread_ops::with_yields, nullptr, no_threads},
      {&hash::hash, nullptr, no_threads},
  });
  return join_cells(others, lwt_cells_without_loops(all_children), lwt_cells_without_units(no_threads));
}();

template <std::size_t Count>
constexpr auto with_reasons(const std::array<cell, Count>& written) {
  std::array<cell, Count + cells_without_tascell.size()> all{};
  std::ranges::copy(cells_without_tascell, std::ranges::copy(written, all.begin()).out);
  return all;
}

inline constexpr auto tascell_cells = with_reasons(std::to_array<cell>({{&fib::every_call, fib::run_tascell},
                                                                        {&queens_board::queens_board, queens_board::run_tascell},
                                                                        {&pentomino::pentomino, pentomino::run_tascell},
                                                                        {&comp::comp, comp::run_tascell}}));

inline constexpr auto tascell_library_cells =
    with_reasons(std::to_array<cell>({{&fib::every_call, fib::run_tascell_library},
                                      {&queens_board::queens_board, queens_board::run_tascell_library},
                                      {&pentomino::pentomino, pentomino::run_tascell_library},
                                      {&comp::comp, comp::run_tascell_library}}));

}  // namespace bench
