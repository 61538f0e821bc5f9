// What weft_finalize_with(WEFT_DROP) says of the units that it drops. No unit runs any more, and
// all of them are as they were left.
#pragma once

#include <cstdint>

#include "see/report.hpp"
#include "unit/unit.hpp"
#include "worker/runtime.hpp"

namespace weft::sched {

struct dropped_counts {
  std::uint64_t ready = 0;
  std::uint64_t blocked = 0;

  std::uint64_t all() const { return ready + blocked; }
};

// Calls use(unit) for each of them: all that live, but for the adopted caller.
template <class Use>
void walk_dropped(runtime* rt, Use use) {
  struct walk {
    const unit* main;
    Use* use;
  } all{main_of(rt), &use};
  walk_units(
      rt,
      [](void* state, unit* one) {
        auto* const to = static_cast<walk*>(state);
        if (one != to->main && lives(one)) (*to->use)(one);
      },
      &all);
}

dropped_counts count_to_drop(runtime* rt);
// One line on stderr if there are some; under WEFT_STATS the first ones by name.
void tell_dropped(runtime* rt, const dropped_counts& counts);

}  // namespace weft::sched
