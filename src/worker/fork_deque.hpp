// The forks of one worker that were not joined: protocol K, docs/protocols/K.md. The state;
// fork.hpp has the doings.
//
// They lie in a *segment*, an array of fixed places, oldest first: [first, top) were taken by
// others, [top, public_end) are public, for thieves to take, and [public_end, bottom) are private.
// All of them belong to the unit that runs. A unit that is left takes the segment along, as it does
// its stack, with all of its forks taken (they become units), because their joiner knows them by
// their places.
//
// bottom is hot.bottom, moved by the owner without any lock; or, while that is null,
// `closed_bottom`, moved inside the lock: when the segment is full, and always where nothing may be
// inlined.
#pragma once

#include <cstddef>
#include <cstdint>

#include <weft/hot.h>

#include "base/align.hpp"
#include "base/atomic.hpp"
#include "base/config.hpp"
#include "queue/spinlock.hpp"

namespace weft::sched {

struct unit;
struct worker;

// Where nothing may be inlined: checked builds see every call, TSan sees no fence.
inline constexpr bool forks_are_always_closed = config::checked || config::thread_sanitizer;

// Older forks beyond it are the better ones to take; newer ones run in their joins.
inline constexpr std::size_t forks_a_segment = 8192;

struct alignas(base::cache_line) fork_segment {
  fork_segment* next;  // among the spare ones
  // of a unit that was left, its own
  unit* forker;
  std::uint32_t unjoined;
  std::uint32_t mapped_behind;  // of the first one of a mapping in the runtime's list: how many lie behind it, never used
  alignas(base::cache_line) weft_forked forks[forks_a_segment];

  weft_forked* first() { return forks; }
  weft_forked* last() { return forks + forks_a_segment - 1; }
  weft_forked* end() { return forks + forks_a_segment; }
  bool holds(const weft_forked* one) const { return one >= forks && one < forks + forks_a_segment; }
};

struct alignas(base::cache_line) fork_deque {
  // ---- owner; thieves read bottom, and write taken (inside the lock) and limit ----
  weft_hot_line hot{};
  // ---- inside the lock ----
  base::atomic<weft_forked*> closed_bottom{nullptr};
  // ---- owner ----
  weft_forked* rest = nullptr;  // bottom while there are no forks
  fork_segment* segment = nullptr;
  std::uint32_t looks_left = 0;  // for takers, while limit stays null
  bool expects_taker = false;    // a fork was taken, and has ended: its taker comes for the next one
  // ---- inside the lock; a line of their own, which idle workers look at all the time ----
  alignas(base::cache_line) base::atomic<weft_forked*> top{nullptr};
  base::atomic<weft_forked*> public_end{nullptr};  // as hot.taken, outside of attempts to take
  queue::spinlock lock;
};

}  // namespace weft::sched
