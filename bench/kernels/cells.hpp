// What the lists of cells of several runtimes have in common.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>

#include "harness/runtimes.hpp"
#include "kernels/blocked/blocked.hpp"
#include "kernels/ping_pong/ping_pong.hpp"
#include "kernels/thread_ops/thread_ops.hpp"
#include "kernels/yield/yield.hpp"

namespace bench {

inline constexpr std::string_view a_task_cannot_block = "a task runs to its end: it cannot block or give way";
inline constexpr std::string_view no_yield_to = "it has no yield to a named thread";

template <std::size_t... Counts>
constexpr auto join_cells(const std::array<cell, Counts>&... lists) {
  std::array<cell, (Counts + ...)> all{};
  cell* end = all.data();
  ((end = std::ranges::copy(lists, end).out), ...);
  return all;
}

// The kernels whose threads wait for each other or give way to each other, with the reason why a
// runtime without threads lacks them.
constexpr std::array<cell, 8> cells_without_threads(std::string_view why_not,
                                                    std::string_view why_no_yield = a_task_cannot_block) {
  return {{
      {&blocked::blocked, nullptr, why_not},
      {&yield::any, nullptr, why_no_yield},
      {&yield::to, nullptr, why_no_yield},
      {&ping_pong::mutex_handover, nullptr, why_not},
      {&ping_pong::condition, nullptr, why_not},
      {&ping_pong::channel, nullptr, why_not},
      {&thread_ops::without_yields, nullptr, why_not},
      {&thread_ops::with_yields, nullptr, why_not},
  }};
}

}  // namespace bench
