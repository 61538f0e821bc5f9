// Under WEFT_MIGRATE a unit waits for the one worker to which it was sent: a thief may be where it
// ran last, so thieves leave it. A worker that stays in one unit loses those that wait for it all
// the same, since that unit may wait for one of them in a loop or in the kernel.
#pragma once

#include <cstdint>

namespace weft::sched {

struct worker;

// An idle worker looks this often at the others.
inline constexpr std::uint64_t look_at_kept_units_ns = 15'000'000;

// The worker whose units w may take; null: none stays in one unit.
worker* look_for_kept_units(worker* w);

}  // namespace weft::sched
