// The cells of a runtime whose bodies are in another language (foreign/bodies.h).
#pragma once

#include <array>

#include "harness/runtimes.hpp"
#include "kernels/btc/btc.hpp"
#include "kernels/cells.hpp"
#include "kernels/chapel.hpp"
#include "kernels/comp/comp.hpp"
#include "kernels/creation/creation.hpp"
#include "kernels/fib/fib.hpp"
#include "kernels/hash/hash.hpp"
#include "kernels/matmul/matmul.hpp"
#include "kernels/mergesort/mergesort.hpp"
#include "kernels/pentomino/pentomino.hpp"
#include "kernels/queens/queens.hpp"
#include "kernels/queens_array/queens_array.hpp"
#include "kernels/quicksort/quicksort.hpp"
#include "kernels/strassen/strassen.hpp"
#include "kernels/tree/tree.hpp"
#include "kernels/uts/uts.hpp"
#include "runtimes/foreign/bodies.h"

namespace bench::foreign {

foreign_watch watch_for(stopwatch& watch);

kernel_run run_fib(const kernel_input& input, stopwatch& watch);
kernel_run run_fib_cutoff(const kernel_input& input, stopwatch& watch);
kernel_run run_uts(const uts::tree& tree, stopwatch& watch);
kernel_run run_queens(const kernel_input& input, stopwatch& watch);
kernel_run run_queens_array(const kernel_input& input, stopwatch& watch);
kernel_run run_quicksort(const kernel_input& input, stopwatch& watch);
kernel_run run_quicksort_every(const kernel_input& input, stopwatch& watch);
kernel_run run_mergesort(const kernel_input& input, stopwatch& watch);
kernel_run run_matmul(const kernel_input& input, stopwatch& watch);
kernel_run run_tree(const kernel_input& input, stopwatch& watch);
kernel_run run_btc(const kernel_input& input, stopwatch& watch);
kernel_run run_create_flat(const kernel_input& input, stopwatch& watch);
kernel_run run_create_nested(const kernel_input& input, stopwatch& watch);

template <uts::tree_maker Make>
kernel_run run_uts_of(const kernel_input& input, stopwatch& watch) {
  return run_uts(Make(input.size), watch);
}

constexpr std::array<cell, 27> own_cells() {
  return {{
      {&fib::every_call, run_fib},
      {&fib::with_cutoff, run_fib_cutoff},
      {&uts::t1, run_uts_of<uts::make_t1>},
      {&uts::t3, run_uts_of<uts::make_t3>},
      {&uts::t1l, run_uts_of<uts::make_t1l>},
      {&queens::queens, run_queens},
      {&queens_array::queens_array, run_queens_array},
      {&quicksort::with_cutoff, run_quicksort},
      {&quicksort::every_segment, run_quicksort_every},
      {&mergesort::mergesort, run_mergesort},
      {&matmul::matmul, run_matmul},
      {&strassen::strassen, nullptr, not_written_yet},
      {&tree::tree, run_tree},
      {&btc::btc, run_btc},
      {&pentomino::pentomino, nullptr, not_written_yet},
      {&comp::comp, nullptr, not_written_yet},
      {&creation::flat, run_create_flat},
      {&creation::nested, run_create_nested},
      {&stream::stream, nullptr, not_written_yet},
      {&stream_ep::stream_ep, nullptr, not_written_yet},
      {&random_access::random_access, nullptr, not_written_yet},
      {&chapel_quicksort::on_one_level, nullptr, not_written_yet},
      {&chapel_quicksort::on_levels_for_workers, nullptr, not_written_yet},
      {&chapel_quicksort::on_ten_levels, nullptr, not_written_yet},
      {&chapel_quicksort::on_all_levels, nullptr, not_written_yet},
      {&chapel_tree::chapel_tree, nullptr, not_written_yet},
      {&hash::hash, nullptr, not_written_yet},
  }};
}

}  // namespace bench::foreign
