// Yields of tasks that wait for tasks which they forked.
//
// A runtime that forks tasks without a return word, each with a copy of its argument, counts them
// itself, and joins them by reading its count again and again, with a yield between: Chapel's does.
// A yield that only lets others run keeps each such parent in its queue, where it takes its turn to
// find nothing. Here the parent parks until its children have ended, and its worker starts the newest
// of them: so a tree of tasks is walked depth first. The caller may wait for something else, of
// which the face does not learn: a child that yields wakes its parent first, but for the child's own
// first wait for children of its own, and no parent parks beyond a pause, from 50 microseconds to a
// millisecond. After a pause in which no child has ended its yields only let others run, for as long
// as the pause was.
//
// A parent and its children share one word, which lives until the last of them has ended.
#pragma once

#include <cstdint>

#include "runtime.hpp"

namespace weft::qthreads {

struct task;

struct family {
  static constexpr unsigned ended_shift = 33;
  static constexpr std::uint64_t one_ended = std::uint64_t{1} << ended_shift;
  static constexpr std::uint64_t parent_ended = std::uint64_t{1} << 32;
  static constexpr std::uint64_t parent_parks = std::uint64_t{1} << 31;
  static constexpr std::uint32_t most = 0x7fffffff;  // counts are modulo 2^31
  static constexpr std::uint64_t lower = one_ended - 1;

  // Above lower: how many children have ended. Its last 31 bits: the count at which a parent that
  // parks is woken; once it has ended, at which the word is freed. The parent alone writes lower.
  atomic<std::uint64_t> word{0};

  static std::uint32_t ended_in(std::uint64_t word) { return static_cast<std::uint32_t>(word >> ended_shift); }
  static std::uint32_t count_of(std::uint64_t word) { return static_cast<std::uint32_t>(word) & most; }
};

// What a parent keeps. All zero: it has forked no child that is counted.
struct offspring {
  family* shared;              // null: none is counted
  std::uint32_t forked;        // children
  std::uint32_t seen;          // children that had ended at the last yield
  std::uint32_t kept;          // children that had not ended when the last group of forks began
  std::uint32_t pause_ns;      // the last one that passed in vain; 0: none
  bool has_parked;             // since the last fork
  bool is_over;                // the task ends, and what it forks now is not counted
  std::uint64_t yields_until;  // by the clock of deadlines: until then its yields only let others run
};

// The calling task forks child, which has not started: it is counted, unless there is no memory.
void add_to_family(task* caller, task* child);
// Of a task that ends: its parent learns of it, as the task's last step.
void end_family(task* one);
// A yield of the calling task, if it has children that have not ended, and it is time to park for
// them. False: nothing was done.
bool yield_to_children(task* caller);
// The calling task is about to yield: its parent may wait for what it did before.
void wake_parent(const task* caller);

}  // namespace weft::qthreads
