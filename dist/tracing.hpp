// WEFT_TRACE: what each rank ran when, as one file for all ranks. A rank is a track of workers, and
// what it runs between two steps of its scheduler is a turn. The records lie in rings in the ranks'
// shared memory; the launcher, which outlives the ranks, writes the file. All ranks have one clock:
// they run on one machine, and are forks of the process that started it.
//
// A thread's number stays with it when its frames leave the stack in a join. A continuation that
// another rank takes has a new number there: the child, on the victim, keeps the old one.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/atomic.hpp"
#include "base/status.hpp"
#include "net/job.hpp"
#include "trace/recorder.hpp"

namespace weft::dist {

// In a rank's shared part.
struct turns {
  trace::ring ring;
  base::atomic<std::uint64_t> thread;  // that runs, for thieves
};

// In the process that becomes the launcher: opens the file. Without the variable, none. Errors,
// told in one line: invalid, nomem.
status open_trace();
// Of memory behind each rank's shared part; 0: there is no trace.
std::size_t trace_bytes();
// In each rank.
void start_trace();

// The rank's next turn: of its root; of a continuation from `victim`, whose thread was `maker` at
// the claim; of a thread whose frames come back.
void next_is_root(void (*run)(void* work));
void next_is_stolen(int victim, std::uint64_t maker, void (*run)(void* work));
void next_is_resumed(std::uint64_t thread);
void begin_turn();
void end_turn(trace::leave how);
// The thread of this turn.
std::uint64_t current_thread();
// The thread that a rank runs; 0 without a trace.
std::uint64_t thread_of(int rank);

// Once the ranks have ended. status: the job's.
void write_trace(const net::job& job, int status);

}  // namespace weft::dist
