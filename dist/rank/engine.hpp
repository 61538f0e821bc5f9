// The steps of a thread's life that layers call in one above them. They are declared here, on the
// rank's record; run/ defines those without a file's name.
#pragma once

#include <cstddef>
#include <cstdint>

#include "dist/rank/rank.hpp"

namespace weft::dist {

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

// ---- values/waiting.cpp ----

// The child of a fork that was discarded has ended.
void end_discarded();

// ---- run/frames.cpp: what moves ----

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

// ---- run/policy/child.cpp: where forkers go on ----

// A fork was made after a tick: ranks of other nodes may want one.
void answer_tick(control* mine);

// ---- run/fork.cpp: for policies ----

// The place of a fork, with its work. Null: no place, or the work holds an address of the region.
weft_forked* take_place(control* mine, run_function run, const void* work, std::size_t bytes);
// After a child whose forker was public: returns if the forker is here.
void go_on_or_end(control* mine);

}  // namespace weft::dist
