// What moves between ranks: continuations that a thief claims, and the frames of threads that wait.
// The policies that run children first share what is here; their tables say where frames lie.
#include <cstring>

#include "arch/cpu.hpp"
#include "base/assert.hpp"
#include "dist/far/far.hpp"
#include "dist/rank/engine.hpp"
#include "dist/see/check.hpp"

namespace weft::dist {
namespace {

std::size_t bytes_between(const weft_forked* from, const weft_forked* to) {
  return reinterpret_cast<std::uintptr_t>(to) - reinterpret_cast<std::uintptr_t>(from);
}
void* pointer(std::uintptr_t address) { return reinterpret_cast<void*>(address); }

// Begins to fetch what a claim will copy, while the claim itself fetches the victim's word. Most
// frames are not longer.
void fetch_continuation(int victim, const descriptor& words) {
  constexpr std::size_t frame_bytes = 8 * base::cache_line;
  continuation what;
  std::memcpy(&what, &words, sizeof what);
  for (std::size_t at = 0; at < frame_bytes; at += base::cache_line) __builtin_prefetch(alias_of(victim, what.frame + at));
  __builtin_prefetch(alias_of(victim, reinterpret_cast<std::uintptr_t>(what.places)));
  __builtin_prefetch(alias_of(victim, reinterpret_cast<std::uintptr_t>(what.places_end)));
}

}  // namespace

void occupy(control* mine, std::uint32_t index, const continuation& what) {
  slot* const base = mine->slots + index;
  base[-1] = {what.frame_end, what.places, what.parent_record};
  base[0].frame = what.frame;
  mine->base = base;
  mine->top = base;
  mine->split = base;
  mine->places = all.how->is_inline ? nullptr : what.places_end;
  mine->limit.store(0, base::relaxed);
  WEFT_ASSERT(mine->queue.all_copied(), "a thief still copies what is to be written over");
  mine->queue.occupy(index);
}

bool steal_continuation(control* mine, int victim) {
  control* const from = control_of(victim);
  if (from->queue.seems_empty()) return false;
  const std::uint64_t began = arch::cycles();
  arch::prefetch_to_write(mine->queue.line_of_word());  // for occupy; others look at it
  steal_queue::claimed claimed;
  all.part->robbed.store(static_cast<std::uint32_t>(victim) + 1, base::relaxed);
  const std::uint64_t maker = thread_of(victim);
  const bool is_claimed = from->queue.claim(&claimed, [victim](const descriptor& words) { fetch_continuation(victim, words); });
  if (!is_claimed) all.part->robbed.store(0, base::relaxed);
  if (!is_claimed) return false;
  if (claimed.is_last) from->limit.store(0, base::relaxed);
  const std::uint64_t was_claimed = arch::cycles();
  continuation what;
  std::memcpy(&what, &claimed.what, sizeof what);
  all.how->copy_frame(victim, what);
  const std::size_t place_bytes = bytes_between(what.places, what.places_end);
  std::memcpy(what.places, alias_of(victim, reinterpret_cast<std::uintptr_t>(what.places)), place_bytes);
  const auto* const childs = static_cast<const weft_forked*>(alias_of(victim, reinterpret_cast<std::uintptr_t>(what.places_end)));
  void (*const run)(void* work) = childs->run;
  from->queue.end_copy(claimed);
  all.part->robbed.store(0, base::relaxed);
  const std::uint64_t was_copied = arch::cycles();
  search_moved(victim, run, pointer(what.frame), pointer(what.frame_end));
  what.places_end->run = run;
  what.places_end->taker = what.record;
  ++what.places_end;
  occupy(mine, claimed.index, what);
  const std::size_t bytes = what.frame_end - what.frame + place_bytes;
  next_is_stolen({victim, maker, run, bytes, began, was_claimed, was_copied});
  counters& count = mine->count;
  ++count.steals;
  count.stolen_bytes += bytes;
  count.claim_ticks += was_claimed - began;
  count.copy_ticks += was_copied - was_claimed;
  count.take_up_ticks += arch::cycles() - was_copied;
  return true;
}

std::uintptr_t frame_end_below(const control*, const slot* which, std::uintptr_t) { return which[-1].frame; }

void copy_from_region(int victim, const continuation& what) {
  std::memcpy(pointer(what.frame), alias_of(victim, what.frame), what.frame_end - what.frame);
}

evacuated* pack(control* mine, std::uintptr_t frame, std::size_t frame_bytes, weft_forked* places_end) {
  const slot& before = mine->base[-1];
  const std::size_t place_bytes = bytes_between(before.place, places_end);
  evacuated* const into = all.part->frames.take(sizeof *into + frame_bytes + place_bytes);
  if (into == nullptr) return nullptr;
  into->index = mine->index_of(mine->base);
  into->thread = current_thread();
  into->run = mine->joining;
  into->waits_for = reinterpret_cast<const join_record*>(mine->word);
  into->frame_bytes = static_cast<std::uint32_t>(frame_bytes);
  into->what = {frame, all.how->frame_end(mine, mine->base, frame), before.place, places_end, nullptr, before.record};
  std::memcpy(reinterpret_cast<std::byte*>(into + 1) + frame_bytes, before.place, place_bytes);
  ++mine->count.evacuations;
  return into;
}

void unpack(control* mine, evacuated* frames, std::size_t frame_bytes) {
  const continuation& what = frames->what;
  const auto* const bytes = reinterpret_cast<const std::byte*>(frames + 1);
  std::memcpy(what.places, bytes + frame_bytes, bytes_between(what.places, what.places_end));
  occupy(mine, frames->index, what);
  next_is_resumed(frames->thread);
  ++mine->count.resumed;
  mine->emptied = frames;
}

void give_emptied(control* mine) {
  if (mine->emptied == nullptr) return;
  if (all.is_far)
    mine->emptied->freed.set(1);
  else
    part_of(owner_of(mine->emptied))->frames.give(mine->emptied);
  mine->emptied = nullptr;
}

int owner_of(const evacuated* frames) {
  const auto offset = static_cast<std::size_t>(reinterpret_cast<const std::byte*>(frames) - all.job.shared);
  return static_cast<int>(offset / all.job.shared_bytes);
}

bool evacuate_stack(control* mine, std::uintptr_t frame, evacuated** out) {
  // Frames that stall stay on this rank, and so do what names their records.
  if (all.is_far && !all.how->stalls && !make_thread_far(mine)) return false;
  const std::size_t frame_bytes = all.how->frame_end(mine, mine->base, frame) - frame;
  *out = pack(mine, frame, frame_bytes, mine->places);
  if (*out == nullptr) return false;
  std::memcpy(static_cast<void*>(*out + 1), pointer(frame), frame_bytes);
  return true;
}

void bring_back_stack(control* mine, evacuated* frames) {
  const continuation& what = frames->what;
  const std::size_t frame_bytes = what.frame_end - what.frame;
  std::memcpy(pointer(what.frame), frames + 1, frame_bytes);
  unpack(mine, frames, frame_bytes);
}

}  // namespace weft::dist
