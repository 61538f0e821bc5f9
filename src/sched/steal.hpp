// Taking work from other workers: from their mail, by asking, or by a raid (protocol D).
#pragma once

#include <cstdint>

namespace weft::sched {

// A thief that stands back looks this often whether somebody has got stuck.
inline constexpr std::uint64_t look_while_standing_back_ns = 50'000;

struct unit;
struct worker;

// A unit taken from another worker, or null. Further units that came with it are in w's own queue.
unit* steal(worker* w);

// Whether another worker holds something that w may take. Racy.
bool sees_prey(worker* w);

}  // namespace weft::sched
