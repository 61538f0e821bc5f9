// See first_touch.hpp.
#include "dist/run/first_touch.hpp"

#include <cstddef>

#include "dist/rank/rank.hpp"
#include "dist/see/check.hpp"
#include "dist/see/tracing.hpp"
#include "os/vm.hpp"

namespace weft::dist {
namespace {

// What the first steals of a run touch: continuations near the root, about as deep as a page of
// slots is long.
constexpr std::size_t stack_bytes = std::size_t{32} << 10, places_bytes = std::size_t{16} << 10;
constexpr std::size_t frames_bytes = std::size_t{20} << 10;  // the pool's words, and its first blocks
constexpr std::size_t trace_ring_bytes = std::size_t{16} << 10;
constexpr int most_ranks_at_start = 4;  // of a job whose ranks all touch each other
constexpr int most_victims = 32;        // of a rank: page tables would grow faster than steals gain

int victims = 0;  // have been touched, from the next rank on

// A load gives the page memory, too, where it has none: all is shared memory.
void touch(const void* from, std::size_t bytes) {
  const auto page = static_cast<std::uintptr_t>(os::page_bytes());
  const auto first = reinterpret_cast<std::uintptr_t>(from);
  for (std::uintptr_t at = first & ~(page - 1); at < first + bytes; at += page)
    (void)*reinterpret_cast<const volatile unsigned char*>(at < first ? first : at);
}

// The same addresses in all ranks.
std::uintptr_t stack_window() { return reinterpret_cast<std::uintptr_t>(all.mine->slots) - stack_bytes; }
std::uintptr_t places_window() { return reinterpret_cast<std::uintptr_t>(all.mine->first_place); }

void touch_part(const shared_part* its) {
  touch(its, sizeof(std::uint64_t));
  touch(&its->robbed, sizeof its->robbed);
  touch(&its->heap, sizeof its->heap);
  touch(&its->records, sizeof its->records);
  touch(&its->frames, frames_bytes);
}

void touch_victim(int rank) {
  if (rank == all.job.rank || !net::is_near(all.job, rank)) return;
  touch(control_of(rank), sizeof(control));
  touch(alias_of(rank, stack_window()), stack_bytes);
  touch(alias_of(rank, places_window()), places_bytes);
  touch_part(part_of(rank));
}

}  // namespace

void touch_own() {
  if (all.job.ranks == 1) return;
  touch(reinterpret_cast<const void*>(stack_window()), stack_bytes);
  touch(all.mine->slots, os::page_bytes());
  touch(reinterpret_cast<const void*>(places_window()), places_bytes);
  touch_part(all.part);
  touch_searches();
  const std::size_t ring = trace_bytes() < trace_ring_bytes ? trace_bytes() : trace_ring_bytes;
  touch(all.part + 1, ring);
}

void touch_first_victims() {
  touch_victim(0);
  while (all.job.ranks <= most_ranks_at_start && victims + 1 < all.job.ranks) touch_next_victim();
}

void touch_next_victim() {
  const int most = all.job.ranks - 1 < most_victims ? all.job.ranks - 1 : most_victims;
  if (victims >= most) return;
  touch_victim((all.job.rank + ++victims) % all.job.ranks);
}

}  // namespace weft::dist
