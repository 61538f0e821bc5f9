// This process's record as a rank, and the parts of the node's shared memory that ranks own.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/rng.hpp"
#include "dist/rank/heap_ranges.hpp"
#include "dist/rank/layout.hpp"
#include "dist/rank/policy.hpp"
#include "dist/rank/pool.hpp"
#include "dist/rank/settings.hpp"
#include "dist/rank/turns.hpp"
#include "dist/words/in_place.hpp"
#include "dist/words/kept_exception.hpp"
#include "net/job.hpp"

namespace weft::dist {

// Forks of one function that stayed in place.
struct kept_forks {
  void (*run)(void* work);
  std::uint64_t count;
};
inline constexpr unsigned most_kept = 8;

// Under the policy `iso-address`: stacks of threads that others have ended.
struct own_stacks {
  static constexpr std::size_t bytes = 64 * 1024;  // of each, with its guard page
  static constexpr std::uint32_t most = 4096;      // of a rank

  return_list returned;  // of links
  base::atomic<std::uint64_t> links[most];
};

// What the program called on a rank. The barrier at a root's start publishes it.
struct root_call {
  void (*run)(void* work);
  std::size_t bytes;
};

// The part of the node's shared memory that a rank owns. All ranks know it by the same address.
struct shared_part {
  root_word root_end;    // rank 0's
  root_call called;      // the newest root
  std::uint64_t result;  // where the root's bytes lie in the region of this rank
  // Rank 0's: above it, the root's frames hold what its starter left in registers.
  std::uintptr_t root_stack;
  base::atomic<std::uint32_t> has_told;  // rank 0's: an address of a heap was found
  counters count;                        // at the last root's end
  kept_forks kept[most_kept];
  in_place_waits in_place;  // rank 0's
  // The rank whose continuation this one claims and copies, plus one; for the report of a death.
  // A line of its own: all ranks poll root_end, and a claim is a locked operation, which waits for
  // this store.
  alignas(base::cache_line) base::atomic<std::uint32_t> robbed;
  alignas(base::cache_line) heap_ranges heap;
  turns turned;
  return_list moved;  // frames that any rank may take up
  own_stacks stacks;
  kept_exception exceptions[most_exceptions];
  record_pool records;
  frame_pool frames;
};

// A frame larger than this could jump over the guard.
inline constexpr std::size_t guard_bytes = 64 * 1024;

struct process {
  net::job job;
  settings set;
  const policy* how = &policies::optimised;
  control* mine = nullptr;
  shared_part* part = nullptr;
  std::uintptr_t guard = 0;  // below this rank's stack
  // Under the policy `iso-address`, those of all ranks.
  std::uintptr_t own_stacks_at = 0;
  std::size_t own_stack_bytes = 0;
  bool is_started = false;
  bool is_far = false;      // there are ranks on other nodes: far.hpp
  std::uint32_t pool = 0;   // how much of each
  int process = 0;          // the rank's
  unsigned exceptions = 0;  // how many of the part's entries have ever been used
  base::rng random{0};
  std::uint64_t publications = 0;
};
extern process all;
extern control outside;  // of all OS threads but this rank's worker

// Of this rank: not that of a process that it has forked.
bool is_main_thread();

shared_part* part_of(int rank);
inline control* control_of(int rank) {
  return reinterpret_cast<control*>(all.job.aliases + static_cast<std::size_t>(rank) * all.job.region_bytes);
}
// Where an address of this rank's region lies for another rank's bytes.
inline const void* alias_of(int rank, std::uintptr_t address) {
  return reinterpret_cast<std::byte*>(control_of(rank)) + (address - all.mine->region);
}

// The calling OS thread's control block: this rank's for its worker, for all others one that forks
// in joins.
inline control* here() { return reinterpret_cast<control*>(weft_hot_here()); }

}  // namespace weft::dist
