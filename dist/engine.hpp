// What the files of the engine share: this rank's state, and the steps of a thread's life.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/rng.hpp"
#include "dist/check.hpp"
#include "dist/exception.hpp"
#include "dist/in_place.hpp"
#include "dist/layout.hpp"
#include "dist/policy.hpp"
#include "dist/pool.hpp"
#include "dist/settings.hpp"
#include "dist/tracing.hpp"
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

// ---- a thread, on its stack ----

// Leaves the stack for the rank's scheduler; returns when the thread is resumed, on whatever rank.
void leave(control* from, event why, std::uint64_t word);
// The thread that runs has ended, and its forker is not here.
[[noreturn]] void end_child(control* from);
[[noreturn]] void end_thread(control* from, join_record* record, const void* cargo);
// Whether the forker, which was public, is this rank's again; false: a thief has it, or another
// rank.
bool take_back(control* from, const slot* forker);
bool join_rarely(control* from, weft_forked* forked);
// A join of a continuation's child.
bool join_continuation(control* from, weft_forked* forked);
// Until the child has ended, wherever it runs; then its cargo lies in the place.
void wait_for_child(control* from, weft_forked* forked, join_record* record);
// Of a fork whose child has ended elsewhere: into its place, and the record goes back.
void take_cargo(weft_forked* forked);
// Whether it has; in a job of several nodes too.
[[nodiscard]] bool has_child_ended(const join_record* record);
// Whether its child may run elsewhere: the forker has to wait for it, or to discard it.
[[nodiscard]] bool is_separated(const weft_forked* forked);
// A fork that is separated, and that its forker will never join.
void discard(control* from, weft_forked* forked);
// Counts a fork that stays in place, because its bytes hold an address of the region.
void keep(control* from, void (*run)(void* work));
// Makes some of the private continuations public, the oldest first, as far as the pools allow.
void publish(control* from);

// ---- the scheduler, on the OS thread's own stack ----

// Runs threads until the root has ended. first: where this rank begins; null: it steals.
void serve(control* mine, void (*first)(void* ignored, void* root), void* root);
// Takes up a thread whose frame lies where `what` says: the region is empty but for it.
void occupy(control* mine, std::uint32_t index, const continuation& what);
// Every fork moves its forker: at the fork, and on the rank that takes the frames up.
void move_forker(control* from);
bool take_moved(control* mine, int rank);
// The memory of frames that go on where they are.
void drop_evacuated(evacuated* frames);
// Looks for a thread on this rank and, once, on another. round: so many such looks have failed.
bool find_thread(control* mine, unsigned round);
int random_below(int count);
// Of the other ranks, at random.
int other_rank();

// ---- frames.cpp: what moves ----

bool steal_continuation(control* mine, int victim);
// As policy has them, for frames in the region's stack: copies, at the same addresses.
std::uintptr_t frame_end_below(const control* mine, const slot* which, std::uintptr_t frame);
void copy_from_region(int victim, const continuation& what);
bool evacuate_stack(control* mine, std::uintptr_t frame, evacuated** out);
void bring_back_stack(control* mine, evacuated* frames);
// The places of the thread that runs alone, and memory for so many bytes of its frames before them.
// Null: no memory.
evacuated* pack(control* mine, std::uintptr_t frame, std::size_t frame_bytes, weft_forked* places_end);
// The rest of bringing back, once the frame lies at its addresses. frame_bytes: as in pack.
void unpack(control* mine, evacuated* frames, std::size_t frame_bytes);
// The memory of what unpack() has brought back. Between threads.
void give_emptied(control* mine);
// The rank that evacuated them.
int owner_of(const evacuated* frames);

// ---- policy/child.cpp: where forkers go on ----

// A fork was made after a tick: ranks of other nodes may want one.
void answer_tick(control* mine);

// ---- fork.cpp: for policies ----

// The place of a fork, with its work. Null: no place, or the work holds an address of the region.
weft_forked* take_place(control* mine, run_function run, const void* work, std::size_t bytes);
// After a child whose forker was public: returns if the forker is here.
void go_on_or_end(control* mine);

}  // namespace weft::dist
