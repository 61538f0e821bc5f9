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

// A worker has become idle.
void begin_to_search(worker* w);
// Whether another worker has public forks: protocol K. Reads no line that a running fork writes.
bool sees_public_forks(const worker* w);
// After a fork that w took has ended: its forker may have the next one at once. Null: it has not.
unit* await_next_fork(worker* w);

// While w stands back: whether it shall look for work again, because its time is over, a deadline
// has come, or an owner has got stuck.
bool has_stood_back(worker* w);

// Whether another worker holds something that w may take. Racy.
bool sees_prey(worker* w);

}  // namespace weft::sched
