// How long a caller that polls pauses between two looks: the longer nothing has come, the longer,
// so that what comes late costs little CPU time, and what comes soon is seen soon.
#pragma once

#include <algorithm>
#include <cstdint>

namespace weft::sched {

inline constexpr std::uint64_t least_poll_pause_ns = 2'000;
inline constexpr std::uint64_t most_poll_pause_ns = 1'000'000;

// waited_ns: since something came, or the wait began.
inline std::uint64_t poll_pause_ns(std::uint64_t waited_ns) {
  constexpr std::uint64_t pauses_a_wait = 8;
  return std::clamp(waited_ns / pauses_a_wait, least_poll_pause_ns, most_poll_pause_ns);
}

}  // namespace weft::sched
