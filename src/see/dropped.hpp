// What weft_finalize_with(WEFT_DROP) says of the units that it drops. No unit runs any more, and all
// of them are as they were left.
#pragma once

#include <cstdint>

namespace weft::sched {

struct runtime;
struct unit;

struct dropped_counts {
  std::uint64_t ready = 0;
  std::uint64_t blocked = 0;

  std::uint64_t all() const { return ready + blocked; }
};

// Counts what lives, but for the adopted caller.
dropped_counts count_to_drop(runtime* rt);
// One line on stderr if there are some; under WEFT_STATS the first ones by name.
void tell_dropped(runtime* rt, const dropped_counts& counts);

}  // namespace weft::sched
