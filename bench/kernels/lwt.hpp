// The cells of the review of lightweight threads: kernels/lwt/lwt.hpp.
#pragma once

#include <array>
#include <string_view>

#include "harness/runtimes.hpp"
#include "kernels/lwt/lwt.hpp"

namespace bench {

// Way: run_all(first, count), see harness/children.hpp; all of them should be children.
template <class Way>
inline constexpr std::array<cell, 5> lwt_cells = {{
    {&lwt::loop, lwt::run_loop<Way>},
    {&lwt::nested_loops, lwt::run_nested_loops<Way>},
    {&lwt::tasks_of_one, lwt::run_tasks_of_one<Way>},
    {&lwt::tasks_of_all, lwt::run_tasks_of_all<Way>},
    {&lwt::nested_tasks, lwt::run_nested_tasks<Way>},
}};

// Units: thread_units or task_units.
template <class Units>
inline constexpr std::array<cell, 2> lwt_unit_cells = {{
    {&lwt::create, lwt::run_units<Units, lwt::measured::creation>},
    {&lwt::join, lwt::run_units<Units, lwt::measured::join>},
}};

constexpr std::array<cell, 2> lwt_cells_without_units(std::string_view why_not) {
  return {{{&lwt::create, nullptr, why_not}, {&lwt::join, nullptr, why_not}}};
}

constexpr std::array<cell, 5> lwt_cells_without_loops(std::string_view why_not) {
  return {{
      {&lwt::loop, nullptr, why_not},
      {&lwt::nested_loops, nullptr, why_not},
      {&lwt::tasks_of_one, nullptr, why_not},
      {&lwt::tasks_of_all, nullptr, why_not},
      {&lwt::nested_tasks, nullptr, why_not},
  }};
}

}  // namespace bench
