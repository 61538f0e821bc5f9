// The cells of a runtime whose children are C++ callables: every kernel over one Way (harness/children.hpp).
#pragma once

#include <array>

#include "harness/runtimes.hpp"
#include "kernels/blocked/blocked.hpp"
#include "kernels/fib/children.hpp"
#include "kernels/hash/children.hpp"
#include "kernels/matmul/matmul.hpp"
#include "kernels/mergesort/mergesort.hpp"
#include "kernels/queens/children.hpp"
#include "kernels/queens_array/children.hpp"
#include "kernels/quicksort/children.hpp"
#include "kernels/strassen/strassen.hpp"
#include "kernels/tree/children.hpp"
#include "kernels/uts/children.hpp"

namespace bench {

inline constexpr std::string_view a_task_cannot_block = "a task cannot block";

template <class Way>
constexpr std::array<cell, 15> cells_by(cell for_blocked) {
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
      for_blocked,
      {&hash::hash, hash::run_by<Way>},
  }};
}

// The same for runtimes that make leaves tasklets; the others are threads.
template <class Way>
constexpr auto tasklet_cells_by() {
  auto cells = cells_by<Way>({&blocked::blocked, nullptr, "a tasklet cannot block"});
  for (cell& each : cells) {
    if (each.of == &uts::t3)
      each = {&uts::t3, nullptr, "which nodes are leaves, and could be tasklets, is not known before they run"};
  }
  return cells;
}

}  // namespace bench
