// Where a worker is, as another OS thread sees it: for those that judge whether it stands still.
#pragma once

#include <cstdint>

namespace weft::sched {

struct unit;

// Where a worker was found; the same again means that it never left. A unit that ended here counts
// as leaving, for joins run their threads without a choice; so does having been idle, from which
// the same thread may come back.
struct whereabouts {
  const unit* in = nullptr;  // null: it chooses or idles
  std::int32_t turns_left = 0;
  std::uint64_t finished = 0;
  std::uint64_t times_idle = 0;

  bool operator==(const whereabouts&) const = default;
};

// What an idle worker saw of another one: run/kept_units.cpp.
struct kept_look {
  std::uint64_t at_ns = 0;
  whereabouts where;
  std::uint64_t cpu_ms = 0;  // that its OS thread had used
  unsigned index = 0;
  unsigned times = 0;  // that it was found as before, in a row
};

// A unit with which a worker went on after another one had left it: arrivals.hpp.
struct arrival {
  const unit* one = nullptr;
  std::uint64_t at_ns = 0;
  std::uintptr_t stack_pointer = 0;  // frames that lie higher were there before
  std::uint32_t from = 0;            // the worker that left it
};

inline constexpr unsigned kept_arrivals = 16;  // of a worker, one for units of the same hash

}  // namespace weft::sched
