// The scheduler of a rank: what happens between threads, on the OS thread's own stack. It takes
// over when a thread ends whose forker is not here, or waits in a join; then the region is empty.
#include <sched.h>

#include <cstring>

#include "arch/context.hpp"
#include "arch/cpu.hpp"
#include "base/assert.hpp"
#include "dist/engine.hpp"
#include "dist/far.hpp"
#include "os/clock.hpp"

namespace weft::dist {
namespace {

std::size_t bytes_between(std::uintptr_t from, std::uintptr_t to) { return to - from; }
std::size_t bytes_between(const weft_forked* from, const weft_forked* to) {
  return reinterpret_cast<std::uintptr_t>(to) - reinterpret_cast<std::uintptr_t>(from);
}
void* pointer(std::uintptr_t address) { return reinterpret_cast<void*>(address); }

// Begins to fetch what a claim will copy, while the claim itself fetches the victim's word. Most frames are not longer.
void fetch_continuation(int victim, const descriptor& words) {
  constexpr std::size_t frame_bytes = 8 * base::cache_line;
  continuation what;
  std::memcpy(&what, &words, sizeof what);
  for (std::size_t at = 0; at < frame_bytes; at += base::cache_line) __builtin_prefetch(alias_of(victim, what.frame + at));
  __builtin_prefetch(alias_of(victim, reinterpret_cast<std::uintptr_t>(what.places)));
  __builtin_prefetch(alias_of(victim, reinterpret_cast<std::uintptr_t>(what.places_end)));
}

// Waits for what other ranks do next, without taking the CPU from them for long.
class patience {
 public:
  void wait() {
    ++rounds_;
    if (rounds_ < 2048) {
      arch::pause();
    } else if (rounds_ < 4096) {
      sched_yield();
    } else {
      os::sleep_until(os::now_ns() + 50'000);
    }
  }

 private:
  unsigned rounds_ = 0;
};

void wait_for_copies(const control* mine) {
  for (patience patience; !mine->queue.all_copied() || !are_far_copied(); poll_far()) patience.wait();
}

[[noreturn]] void end_deadlock() {
  const bool is_open = has_open_exception();
  net::fail(all.job, "deadlock: every rank waits in place in a join (WEFT_DIST_CHECK=all), rank %d of %d because %s; %s",
            all.job.rank, all.job.ranks,
            is_open ? "an exception is open there" : "there is no memory for the frames of its forker",
            is_open ? "join before the catch block, or set WEFT_DIST_CHECK=first" : "set WEFT_DIST_POOL higher, or unset it");
}

void wait_in_place(control* mine, const join_record* record) {
  ++mine->count.waits_in_place;
  const std::uint64_t began = os::now_ns();
  const bool is_checked = all.set.checking == check::all;
  in_place_waits& waits = part_of(0)->in_place;
  if (is_checked && waits.begin(all.job.rank, all.job.ranks, record)) end_deadlock();
  for (patience patience; !(all.is_far ? has_far_child_ended(record) : record->has_ended()); poll_far()) patience.wait();
  if (is_checked) waits.end(all.job.rank);
  mine->count.idle_ns += os::now_ns() - began;
}

// The forker in a join whose child runs elsewhere. Null: its frames are evacuated.
void* after_wait(control* mine) {
  auto* record = reinterpret_cast<join_record*>(mine->word);
  const auto frame = reinterpret_cast<std::uintptr_t>(mine->suspended);
  WEFT_ALWAYS(mine->top == mine->base, "a thread waits in a join above other threads");
  evacuated* frames = nullptr;
  if (!has_open_exception() && evacuate(mine, frame, &frames)) {
    if (all.is_far) {
      record = static_cast<join_record*>(mine->awaited->taker);  // may have been exchanged
      if (record != nullptr && wait_far(record, frames)) return nullptr;
    } else if (record->wait(reinterpret_cast<std::uint64_t>(frames))) {
      return nullptr;
    }
    drop_evacuated(frames);
    next_is_resumed(current_thread());
  } else {
    wait_in_place(mine, record);
    next_is_resumed(current_thread());
  }
  return mine->suspended;
}

trace::leave leave_of(event why) { return why == event::waits ? trace::leave::parked : trace::leave::ended; }

// The child's forker joins over a far record. Null: it does not wait.
void* after_far_child(control* mine) {
  const std::uint64_t frames = end_far_child(reinterpret_cast<join_record*>(mine->word), mine->top[-1].place->work);
  wait_for_copies(mine);
  if (frames == 0) return nullptr;
  bring_back_far(mine, frames);
  return pointer(mine->base[0].frame);
}

// What the thread's coming back leads to at once; null: nothing.
void* after_event(control* mine) {
  switch (mine->why) {
    case event::child_ended: {
      wait_for_copies(mine);
      if (mine->word == 0) return nullptr;
      auto* const frames = reinterpret_cast<evacuated*>(mine->word);
      void* const frame = pointer(frames->what.frame);
      bring_back(mine, frames);
      return frame;
    }
    case event::far_child_ended: return after_far_child(mine);
    case event::waits: return after_wait(mine);
    default: return nullptr;
  }
}

}  // namespace

int other_rank() {
  all.random ^= all.random << 13;
  all.random ^= all.random >> 7;
  all.random ^= all.random << 17;
  const auto others = static_cast<std::uint64_t>(all.job.ranks - 1);
  const int chosen = static_cast<int>((all.random >> 32) * others >> 32);
  return chosen >= all.job.rank ? chosen + 1 : chosen;
}

namespace {

// WEFT_DIST_CHECK=all: other ranks' frames, and this rank's once the others had time to take them.
bool take_up(control* mine, unsigned round) {
  constexpr unsigned patience_with_others = 64;
  for (int i = 1; i < all.job.ranks; ++i) {
    if (take_moved(mine, (all.job.rank + i) % all.job.ranks)) return true;
  }
  return (all.job.ranks == 1 || round >= patience_with_others) && take_moved(mine, all.job.rank);
}

bool find_thread(control* mine, unsigned round) {
  if (all.set.checking == check::all) return take_up(mine, round);
  if (all.job.ranks == 1) return false;
  if (all.is_far) return try_far(mine, round);
  ++mine->count.probes;
  return steal(mine, other_rank());
}

int ended_on() { return all.is_far ? far_root_end() : part_of(0)->root_end.rank(); }

// Null: the root has ended.
void* find_work(control* mine) {
  if (find_thread(mine, 0)) return pointer(mine->base[0].frame);
  const std::uint64_t began = os::now_ns();
  patience patience;
  bool is_found = false;
  for (unsigned round = 1; !is_found && ended_on() < 0; ++round) {
    patience.wait();
    poll_far();
    is_found = find_thread(mine, round);
  }
  mine->count.idle_ns += os::now_ns() - began;
  return is_found ? pointer(mine->base[0].frame) : nullptr;
}

}  // namespace

shared_part* part_of(int rank) {
  return reinterpret_cast<shared_part*>(all.job.shared + static_cast<std::size_t>(rank) * all.job.shared_bytes);
}

void occupy(control* mine, std::uint32_t index, const continuation& what) {
  slot* const base = mine->slots + index;
  base[-1] = {what.frame_end, what.places, what.parent_record};
  base[0].frame = what.frame;
  mine->base = base;
  mine->top = base;
  mine->split = base;
  mine->places = what.places_end;
  mine->limit.store(0, base::relaxed);
  WEFT_ASSERT(mine->queue.all_copied(), "a thief still copies what is to be written over");
  mine->queue.occupy(index);
}

bool steal(control* mine, int victim) {
  control* const from = control_of(victim);
  if (from->queue.seems_empty()) return false;
  const std::uint64_t began = arch::cycles();
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
  const std::size_t frame_bytes = bytes_between(what.frame, what.frame_end);
  const std::size_t place_bytes = bytes_between(what.places, what.places_end);
  std::memcpy(pointer(what.frame), alias_of(victim, what.frame), frame_bytes);
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
  next_is_stolen(victim, maker, run);
  counters& count = mine->count;
  ++count.steals;
  count.stolen_bytes += frame_bytes + place_bytes;
  count.claim_ticks += was_claimed - began;
  count.copy_ticks += was_copied - was_claimed;
  count.take_up_ticks += arch::cycles() - was_copied;
  return true;
}

bool evacuate(control* mine, std::uintptr_t frame, evacuated** out) {
  slot& before = mine->base[-1];
  const continuation whole{frame, before.frame, before.place, mine->places, nullptr, before.record};
  if (all.is_far && !make_far(whole, &before.record)) return false;
  const std::size_t frame_bytes = bytes_between(frame, before.frame);
  const std::size_t place_bytes = bytes_between(before.place, mine->places);
  evacuated* const into = all.part->frames.take(sizeof *into + frame_bytes + place_bytes);
  if (into == nullptr) return false;
  into->index = mine->index_of(mine->base);
  into->thread = current_thread();
  into->what = {frame, before.frame, before.place, mine->places, nullptr, before.record};
  auto* const bytes = reinterpret_cast<std::byte*>(into + 1);
  std::memcpy(bytes, pointer(frame), frame_bytes);
  std::memcpy(bytes + frame_bytes, before.place, place_bytes);
  ++mine->count.evacuations;
  *out = into;
  return true;
}

void drop_evacuated(evacuated* frames) {
  if (!all.is_far) return all.part->frames.put_back(frames);
  frames->freed.set_own(1);
}

void bring_back(control* mine, evacuated* frames) {
  put_back_on_stack(mine, frames);
  if (all.is_far) {
    frames->freed.set(1);
    return;
  }
  const auto offset = static_cast<std::size_t>(reinterpret_cast<std::byte*>(frames) - all.job.shared);
  part_of(static_cast<int>(offset / all.job.shared_bytes))->frames.give(frames);
}

void put_back_on_stack(control* mine, const evacuated* frames) {
  const continuation& what = frames->what;
  const std::size_t frame_bytes = bytes_between(what.frame, what.frame_end);
  const auto* const bytes = reinterpret_cast<const std::byte*>(frames + 1);
  std::memcpy(pointer(what.frame), bytes, frame_bytes);
  std::memcpy(what.places, bytes + frame_bytes, bytes_between(what.places, what.places_end));
  occupy(mine, frames->index, what);
  next_is_resumed(frames->thread);
  ++mine->count.resumed;
}

void serve(control* mine, void (*first)(void* ignored, void* root), void* root) {
  mine->why = event::none;
  if (first != nullptr) {
    begin_turn();
    arch::start_context(&mine->scheduler, root, first, nullptr, root);
    end_turn(leave_of(mine->why));
  }
  while (mine->why != event::root_ended) {
    void* target = after_event(mine);
    if (target == nullptr) target = find_work(mine);
    if (target == nullptr) return;
    begin_turn();
    arch::switch_context(&mine->scheduler, target, nullptr);
    end_turn(leave_of(mine->why));
  }
}

}  // namespace weft::dist
