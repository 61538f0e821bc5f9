// What differs by WEFT_DIST_POLICY: a table for each, in a file of policy/. docs/decisions/0038
// says which to use when.
//
// All but the last two run a fork's child first and suspend the forker in a slot (layout.hpp);
// another rank may take the forker's frames. They differ in where stacks lie:
//
// - optimised: a child runs on its forker's stack, below it. A switch copies nothing.
// - basic: a forker's frames are copied out of the region while its child runs, and back in
//   afterwards.
// - iso-address: each child has a stack of its own, at an address that no other thread of any rank
//   has. The frames of a thread that waits stay where they are.
// - stalling: as optimised, but a thread that waits goes on where it waits, not where the child
//   ends.
// - child: the forker goes on, and another rank takes the function and the bytes of a fork.
// - run-to-completion: as child, but a thread that waits runs other forks above it, and never
//   leaves.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/status.hpp"
#include "dist/rank/layout.hpp"

namespace weft::dist {

using run_function = void (*)(void* work);
struct offer;

struct policy {
  // More of each rank's region, behind the places: by the size of its stack, and for each rank of
  // the job.
  std::size_t (*region_bytes)(std::size_t stack_bytes);
  std::size_t region_bytes_a_rank;
  // Whether hot.h's inline part makes and joins forks; else each comes to the library.
  bool is_inline;

  // In each rank, before its first root. more: where the additional part of the region begins.
  // Sets the control block's quiet_limit, if forks have a quick way.
  void (*start)(control* mine, std::byte* more);
  // A fork that does not stay on the quick way. Null: it must run in its join.
  weft_forked* (*fork)(control* mine, run_function run, const void* work, std::size_t bytes);
  // A join that neither hot.h nor the quick way has done.
  bool (*join)(control* mine, weft_forked* forked);
  // Takes a thread from another rank. True: its frame is base[0].frame.
  bool (*steal)(control* mine, int victim);
  // Takes up what a rank of another node had offered, and this one has claimed. Null: the policy's
  // ranks must be on one node.
  void (*take_offer)(control* mine, int victim, const offer& claimed);
  // Whether a thread that waits in a join goes on where it waits.
  bool stalls;

  // ---- where frames lie ----

  // Where the frames end of the thread in a slot, which is suspended at `frame`.
  std::uintptr_t (*frame_end)(const control* mine, const slot* which, std::uintptr_t frame);
  // Copies a continuation's frame from another rank.
  void (*copy_frame)(int victim, const continuation& what);
  // The frames of the thread that runs alone leave the region, for a wait. False: no memory.
  bool (*evacuate)(control* mine, std::uintptr_t frame, evacuated** out);
  void (*bring_back)(control* mine, evacuated* frames);
  // After evacuate: the thread goes on where it is. Null: there is nothing to do.
  void (*stay)(control* mine, const evacuated* frames);

  // By each rank when the root has ended everywhere: drops what its threads have left. Null: they
  // leave nothing.
  void (*end_root)(control* mine);
};

namespace policies {
extern const policy optimised, basic, iso_address, child, stalling, run_to_completion;
}

}  // namespace weft::dist
