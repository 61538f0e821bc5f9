// All that runs in parallel on top of forks and threads: calls, groups of tasks, loops, reductions,
// scans, sorting.
#pragma once  // SPDX-License-Identifier: BSD-3-Clause

#include <weft/detail/cxx20.hpp>

#include <weft/dropped_exceptions.hpp>
#include <weft/invoke.hpp>
#include <weft/parallel_for.hpp>
#include <weft/parallel_reduce.hpp>
#include <weft/parallel_scan.hpp>
#include <weft/parallel_sort.hpp>
#include <weft/range.hpp>
#include <weft/task_group.hpp>
