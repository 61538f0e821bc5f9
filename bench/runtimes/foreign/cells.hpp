// The cells of a runtime whose bodies are in another language (foreign/bodies.h).
#pragma once

#include <array>

#include "harness/runtimes.hpp"
#include "kernels/blocked/blocked.hpp"
#include "kernels/fib/fib.hpp"
#include "kernels/hash/hash.hpp"
#include "kernels/matmul/matmul.hpp"
#include "kernels/mergesort/mergesort.hpp"
#include "kernels/queens/queens.hpp"
#include "kernels/queens_array/queens_array.hpp"
#include "kernels/quicksort/quicksort.hpp"
#include "kernels/strassen/strassen.hpp"
#include "kernels/tree/tree.hpp"
#include "kernels/uts/uts.hpp"
#include "runtimes/foreign/bodies.h"

namespace bench::foreign {

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

template <uts::tree_maker Make>
kernel_run run_uts_of(const kernel_input& input, stopwatch& watch) {
  return run_uts(Make(input.size), watch);
}

constexpr std::array<cell, 15> cells(cell for_blocked) {
  constexpr std::string_view not_written = "not written for this runtime";
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
      {&strassen::strassen, nullptr, not_written},
      {&tree::tree, run_tree},
      for_blocked,
      {&hash::hash, nullptr, not_written},
  }};
}

}  // namespace bench::foreign
