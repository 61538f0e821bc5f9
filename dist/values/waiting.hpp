// Threads that leave their rank's stack while their forkers lie above them, and threads that wait
// otherwise than in a join: for a future, or, the root, for the forks that were discarded.
//
// A thread's frames leave the region, and its forker goes on as if a thief had taken it. A thread
// that waits for a value is resumed on its rank, once that has nothing on its stack. The rank looks
// at the values whenever it is out of work, so no word names the waiters, and a setter wakes none.
//
// Only a wait for a value parts a thread from a forker that is here. The forker, and its own, may
// then find in a join that the child is elsewhere, with forkers above them.
#pragma once

#include "dist/rank/rank.hpp"

namespace weft::dist {

// The forker of the thread that leaves, which lies above it, and the record at which both will
// meet.
struct forker_above {
  slot* which = nullptr;  // null: there is none here
  join_record* record = nullptr;
};
// False: there is no record.
bool find_forker(control* mine, forker_above* out);
// The thread's frames, which are to leave. False: no memory.
bool evacuate_below(control* mine, const forker_above& forker, evacuated** out);
// Once they have left: the frame of the forker, which goes on; null: there is none here.
void* part(control* mine, const forker_above& forker);
// The thread stays.
void stay_below(const forker_above& forker);

// What a thread waits for; if neither is named, the end of all discarded forks.
struct awaited_value {
  std::uint64_t future = 0;
  const join_record* record = nullptr;  // of a child: under the policy `stalling`

  [[nodiscard]] bool is_there() const;
};

// On the thread's stack: returns once it is there, on this rank.
void wait_for_value(const awaited_value& what);
// On the scheduler's stack: the thread that left with event::waits_for_value. Its forker's frame,
// or null.
void* after_value_wait(control* mine);
// The frames of a thread that goes on, on this rank, once it is there.
void keep_waiting(evacuated* frames, const awaited_value& what);
// Takes up a thread whose value is there.
bool take_waiting(control* mine);
// False: there would be no memory for the frames of another thread that stalls.
[[nodiscard]] bool may_take_more();
// Nothing is left to run on the only rank.
void end_if_deadlocked();

// ---- standstill.cpp: nothing is left to run on any of several ranks ----

struct open_waits;
open_waits count_waits();  // of this rank
// rank: that of the thread whose future is named.
[[noreturn]] void end_deadlocked(int rank, const open_waits& waits);
void start_standstill();
// The scheduler is about to run a thread.
void found_thread();
// Read before a look for a thread, and given to found_no_thread if the look fails. looks: so many
// have failed.
std::uint64_t seen_question();
void found_no_thread(std::uint64_t question, unsigned looks);

// The rank must wait in place, and runs nothing meanwhile: that may last for ever if threads wait
// here for values.
void end_if_values_are_awaited();

}  // namespace weft::dist
