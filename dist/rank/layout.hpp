// What lies in a rank's region, which is at the same address in all ranks, each rank with its own
// bytes: its control block, the running stack, the slots of the queue, and the places of forks.
//
//   region | control | guard | stack, grows down | slots | places |
//
// A thread (a fork's child, or the root) has a frame on the stack and its places: the one that
// holds its own cargo, and those of its forks that were not joined. A fork suspends the forker in
// the slot `top` and runs the child on the same stack, below. So the slots [base, top) are the
// forkers of the thread that runs, oldest first; slots, frames and places keep their index and
// address when a thief takes them. The slot before `base` says where the oldest thread's frame and
// places begin.
#pragma once

#include <cstddef>
#include <cstdint>

#include <weft/hot.h>

#include "base/align.hpp"
#include "base/atomic.hpp"
#include "dist/words/fork_line.hpp"
#include "dist/words/join_record.hpp"
#include "dist/words/steal_queue.hpp"

namespace weft::dist {

// A forker while its child runs below it.
struct slot {
  std::uintptr_t frame;  // its saved context: arch/context.hpp
  weft_forked* place;    // of the child
  join_record* record;   // once public; null while private
};

// Why a thread came back to the rank's scheduler.
enum class event : std::uint8_t { none, child_ended, far_child_ended, waits, waits_for_value, moves, root_ended };

// What a continuation's descriptor says: the frame [frame, frame_end) and the places [places,
// places_end).
struct continuation {
  std::uintptr_t frame, frame_end;
  weft_forked *places, *places_end;
  join_record* record;         // its child's
  join_record* parent_record;  // its own end's
};
static_assert(sizeof(continuation) == sizeof(descriptor));

// What a copy of it moves.
inline std::size_t bytes_of(const continuation& what) {
  return what.frame_end - what.frame + reinterpret_cast<std::uintptr_t>(what.places_end) -
         reinterpret_cast<std::uintptr_t>(what.places);
}

// Frames that left their region, in the shared memory of the rank that evacuated them.
struct evacuated {
  base::atomic<std::uint64_t> link;
  std::uint32_t index;           // of the slot that the thread's next fork takes
  std::uint32_t units;           // of the pool
  put_word freed;                // in a job of several nodes: 1 once the frames were taken out
  std::uint64_t thread;          // for the trace
  fork_line::range forks;        // under the policy `child`, those of the thread
  void (*run)(void* work);       // what the thread forked whose end it waits for, or at whose fork it moved
  const join_record* waits_for;  // of that fork; null: it moved at a fork
  std::uint32_t frame_bytes;     // behind this; 0: the frame stays where it lies
  continuation what;
  // then the frame's bytes, then the places'
};

struct counters {
  std::uint64_t steals, stolen_bytes, probes, evacuations, resumed, waits_in_place, kept, full, idle_ns, idle_ticks;
  std::uint64_t claim_ticks, copy_ticks, take_up_ticks;  // of the steals, by the CPU's counter
};

struct control {
  // ---- what each fork and join touches ----
  alignas(base::cache_line) weft_hot_line line;  // bottom stays null: forks come to the library
  slot* top;                                     // where the next fork suspends its forker
  weft_forked* places;                           // where the next fork's place is
  slot* split;                                   // slots below are public, claimed, or another rank's
  // A fork whose place is here or above takes the rare way. Thieves store 0, and so it has a line
  // of its own: a child's end would wait for the one above.
  alignas(base::cache_line) base::atomic<std::uintptr_t> limit;

  // ---- the owner's, seldom written ----
  alignas(base::cache_line) std::uintptr_t region;
  std::size_t region_bytes;
  slot* base;
  slot* slots;
  weft_forked* first_place;
  weft_forked* places_end;      // the last place that a fork may take
  std::uintptr_t quiet_limit;   // limit while no other rank wants a continuation
  void* scheduler;              // the saved context of the rank's scheduler while a thread runs
  void* suspended;              // of the thread that came back
  std::uint64_t word;           // what the event is about
  void (*joining)(void* work);  // of the fork that the thread waits for
  weft_forked* awaited;         // that fork
  event why;
  bool is_worker;   // false in the block that stands for all other OS threads
  bool is_serving;  // inside a root
  // Memory that a thread came back from, to be given to its owner: not before the thread goes on,
  // because that takes as long as the rest.
  evacuated* emptied;

  counters count;
  steal_queue queue;
  fork_line forks;  // under the policy `child`

  [[nodiscard]] std::uint32_t index_of(const slot* which) const { return static_cast<std::uint32_t>(which - slots); }
  [[nodiscard]] bool is_in_region(std::uintptr_t address) const { return address - region < region_bytes; }
};

}  // namespace weft::dist
