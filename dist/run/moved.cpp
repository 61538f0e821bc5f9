// WEFT_DIST_CHECK=all: every fork moves its forker. The forker's frames go to the shared memory at
// once, and what they leave is written over. Any rank that is out of work takes them up, other
// ranks before the forker's own; one rank alone takes them back. So what a thread keeps where it
// does not move is found in every run, also in that of one rank.
#include <cstring>

#include "base/assert.hpp"
#include "dist/rank/engine.hpp"
#include "dist/see/check.hpp"

namespace weft::dist {
namespace {

constexpr int poison = 0xdb;

void overwrite(std::uintptr_t from, std::uintptr_t to) { std::memset(reinterpret_cast<void*>(from), poison, to - from); }

// The first of the blocks that a rank gave away; the others stay for others.
evacuated* take_one(return_list& list) {
  auto* const first = reinterpret_cast<evacuated*>(list.take_all());
  if (first == nullptr) return nullptr;
  std::uint64_t next = first->link.load(base::relaxed);
  while (next != 0) {
    auto* const other = reinterpret_cast<evacuated*>(next);
    next = other->link.load(base::relaxed);
    list.give(reinterpret_cast<std::uint64_t>(other), other->link);
  }
  return first;
}

}  // namespace

void move_forker(control* from) {
  note_publication();
  slot* const forker = from->top - 1;
  if (forker != from->base) return;  // an older one stayed, for want of memory
  join_record* const record = all.part->records.take();
  if (record == nullptr) return;
  weft_forked* const places_end = from->places;
  from->places = forker->place;  // the child's own place stays, and is the child's
  evacuated* block = nullptr;
  const bool is_done = evacuate_stack(from, forker->frame, &block);
  from->places = places_end;
  if (!is_done) return all.part->records.put_back(record);
  forker->record = record;
  block->what.record = record;
  block->run = forker->place->run;
  block->waits_for = nullptr;
  overwrite(forker->frame, forker[-1].frame);
  overwrite(reinterpret_cast<std::uintptr_t>(forker[-1].place), reinterpret_cast<std::uintptr_t>(forker->place));
  from->base = from->split = from->top;
  from->queue.occupy(from->index_of(from->top));
  all.part->moved.give(reinterpret_cast<std::uint64_t>(block), block->link);
}

bool take_moved(control* mine, int rank) {
  evacuated* const block = take_one(part_of(rank)->moved);
  if (block == nullptr) return false;
  join_record* const record = block->what.record;
  weft_forked* const place = block->what.places_end;
  const std::size_t bytes = bytes_of(block->what);
  ++block->what.places_end;
  void (*const run)(void* work) = block->run;
  const std::uint64_t maker = block->thread;
  bring_back_stack(mine, block);
  next_is_forker(rank, maker, run);
  place->run = run;
  place->taker = record;
  const std::uintptr_t frame = mine->base[0].frame;
  if (rank != all.job.rank) {
    ++mine->count.steals;
    mine->count.stolen_bytes += bytes;
  }
  search_moved(rank, run, reinterpret_cast<void*>(frame), reinterpret_cast<void*>(mine->base[-1].frame));
  return true;
}

}  // namespace weft::dist
