// Taking work from other workers: from their mail, by asking, or by a raid (protocol D).
#pragma once

#include <cstdint>

namespace weft::sched {

// A thief that stands back looks this often whether a worker has got stuck.
inline constexpr std::uint64_t look_while_standing_back_ns = 50'000;

struct unit;
struct worker;

// A unit taken from another worker, or null. Further units that came with it are in w's own queue.
unit* steal(worker* w);

// An idle worker holds out its hand for forks, unless it stands back: protocol K.
void hold_out_hand(worker* w);
// The first unit out of its hand, or null; further ones are in w's own queue. No stop: the hand
// stays open if it is.
unit* take_from_hand(worker* w);
// After a unit that came by hand has ended: its forker may have the next one at once. Null: it has
// not.
unit* await_next_fork(worker* w);
// Closes the hand; what was in it goes into w's own queue. True: there was something.
bool close_hand(worker* w);

// While w stands back: whether it shall look for work again, because its time is over, a deadline
// has come, or an owner has got stuck.
bool has_stood_back(worker* w);

// Whether another worker holds something that w may take. Racy.
bool sees_prey(worker* w);

}  // namespace weft::sched
