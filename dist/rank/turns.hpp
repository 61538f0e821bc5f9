// What a rank runs when, for a trace: its record in the shared part, and the calls by which the
// layers above note it. see/tracing.cpp has them; without WEFT_TRACE each returns at once.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/atomic.hpp"
#include "dist/words/clock_readings.hpp"
#include "trace/recorder.hpp"

namespace weft::dist {

// In a rank's shared part.
struct turns {
  trace::ring ring;
  base::atomic<std::uint64_t> thread;  // that runs, for thieves
  int first_of_node;                   // whose clocks are this rank's, too
  clock_readings clocks;
};

// A steal whose frames lie on this rank now. Times are those of the CPU's counter.
struct told_steal {
  int victim;
  std::uint64_t maker;  // the thread of the victim at the claim
  void (*run)(void* work);
  std::size_t bytes;
  std::uint64_t began, was_claimed, was_copied;
};

// The rank's next turn: of its root; of a continuation that it has stolen; of one that no steal has
// brought, whose child, or itself, was the thread `maker` of the rank `from`; of a thread whose
// frames come back.
void next_is_root(void (*run)(void* work));
void next_is_stolen(const told_steal& steal);
void next_is_forker(int from, std::uint64_t maker, void (*run)(void* work));
void next_is_resumed(std::uint64_t thread);
void begin_turn();
void end_turn(trace::leave how);
// The thread of this turn.
std::uint64_t current_thread();
// The thread that a rank runs; 0 without a trace.
std::uint64_t thread_of(int rank);

}  // namespace weft::dist
