// The cells of the Chapel set: the kernels that Chapel's developers compared tasking layers with.
// Their text is one for all runtimes that can run two parts, and an array of records (run and
// run_all of harness/children.hpp and harness/together.hpp).
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>

#include "harness/runtimes.hpp"
#include "kernels/chapel_quicksort/chapel_quicksort.hpp"
#include "kernels/chapel_tree/chapel_tree.hpp"
#include "kernels/random_access/random_access.hpp"
#include "kernels/stream/stream.hpp"
#include "kernels/stream_ep/stream_ep.hpp"

namespace bench {

template <class Way>
inline constexpr std::array<cell, 8> chapel_cells = {{
    {&stream::stream, stream::run_trials<Way>},
    {&stream_ep::stream_ep, stream_ep::run<Way>},
    {&random_access::random_access, random_access::run<Way>},
    {&chapel_quicksort::on_one_level, chapel_quicksort::run<Way, chapel_quicksort::one_level>},
    {&chapel_quicksort::on_levels_for_workers, chapel_quicksort::run<Way, chapel_quicksort::levels_for_workers>},
    {&chapel_quicksort::on_ten_levels, chapel_quicksort::run<Way, chapel_quicksort::ten_levels>},
    {&chapel_quicksort::on_all_levels, chapel_quicksort::run<Way, chapel_quicksort::all_levels>},
    {&chapel_tree::chapel_tree, chapel_tree::run<Way>},
}};

template <class Way, std::size_t Count>
constexpr auto with_chapel_cells(const cell (&others)[Count]) {
  std::array<cell, Count + chapel_cells<Way>.size()> all{};
  std::ranges::copy(chapel_cells<Way>, std::ranges::copy(others, all.begin()).out);
  return all;
}

}  // namespace bench
