// The policy `child`: a fork is the inline part of hot.h, and costs what it costs on threads. Another rank
// takes the function and the bytes of the oldest fork (protocol K between ranks: fork_line.hpp), and
// runs it at the top of its own stack. A forker whose fork was taken leaves its rank in the join, with
// its frames and its other forks; where the child ends, the forker goes on.
//
// A fork's bytes are searched for addresses of the region when a thief comes, not when it is made.
#include <cstring>

#include "arch/context.hpp"
#include "arch/cpu.hpp"
#include "base/assert.hpp"
#include "dist/engine.hpp"
#include "os/fence.hpp"

namespace weft::dist {
namespace {

std::uintptr_t stack_top(const control* mine) { return reinterpret_cast<std::uintptr_t>(mine->slots); }

// A thread whose function came from another rank. Its own place, the first, has its work.
void run_taken(void*, void*) {
  weft_forked* const own = here()->first_place;
  own->run(own->work);
  control* const mine = here();
  (void)mine->forks.take_all(mine->line);  // joined before newer ones
  join_record* const record = mine->base[-1].record;
  mine->word = record->end(own->work);
  mine->why = event::child_ended;
  arch::jump_context(mine->scheduler, nullptr);
}

weft_forked* fork(control* mine, run_function run, const void* work, std::size_t bytes) {
  weft_forked* const place = mine->forks.push(mine->line, run, work, bytes);
  mine->count.full += place == nullptr ? 1 : 0;
  return place;
}

bool join(control* mine, weft_forked* forked) {
  if (mine->forks.take_back(mine->line, forked)) return true;
  wait_for_child(mine, forked, static_cast<join_record*>(forked->taker));
  control* const now = here();
  now->forks.end_join(now->line, forked);
  return false;
}

bool holds_address(const weft_forked& place) {
  std::uintptr_t words[WEFT_FORK_BYTES / sizeof(std::uintptr_t)];
  std::memcpy(words, place.work, sizeof words);
  bool result = false;
  for (const std::uintptr_t word : words) result |= all.mine->is_in_region(word);
  return result;
}

bool may_take(const weft_forked& place) {
  if (!holds_address(place)) return true;
  keep(all.mine, place.run);
  return false;
}

// The thread that runs what was taken, on an empty region.
void begin_taken(control* mine, const weft_forked& taken, join_record* record) {
  weft_forked* const own = mine->first_place;
  std::memcpy(own->work, taken.work, sizeof own->work);
  own->run = taken.run;
  own->taker = nullptr;
  void* const frame = arch::make_context(reinterpret_cast<void*>(stack_top(mine)), run_taken, nullptr);
  occupy(mine, 1, {reinterpret_cast<std::uintptr_t>(frame), stack_top(mine), own, own + 1, nullptr, record});
}

bool steal(control* mine, int victim) {
  control* const from = control_of(victim);
  if (from->forks.seems_empty(from->line)) return false;
  join_record* const record = all.part->records.take();
  if (record == nullptr) return false;
  const std::uint64_t began = arch::cycles();
  all.part->robbed.store(static_cast<std::uint32_t>(victim) + 1, base::relaxed);
  const std::uint64_t maker = thread_of(victim);
  const auto place_of = [victim](const weft_forked* place) {
    return static_cast<weft_forked*>(const_cast<void*>(alias_of(victim, reinterpret_cast<std::uintptr_t>(place))));
  };
  weft_forked taken;
  const bool is_taken = from->forks.claim(from->line, place_of, may_take, record, &taken);
  all.part->robbed.store(0, base::relaxed);
  if (!is_taken) {
    all.part->records.put_back(record);
    return false;
  }
  const std::uint64_t was_claimed = arch::cycles();
  begin_taken(mine, taken, record);
  next_is_stolen(victim, maker, taken.run);
  counters& count = mine->count;
  ++count.steals;
  count.stolen_bytes += sizeof taken;
  count.claim_ticks += was_claimed - began;
  count.take_up_ticks += arch::cycles() - was_claimed;
  return true;
}

// The region's memory for forks is this rank's next thread's.
bool evacuate(control* mine, std::uintptr_t frame, evacuated** out) {
  const fork_line::range forks = mine->forks.take_all(mine->line);
  const std::size_t frame_bytes = stack_top(mine) - frame;
  evacuated* const into = pack(mine, frame, frame_bytes, forks.bottom);
  if (into == nullptr) {
    mine->forks.set(mine->line, forks);
    return false;
  }
  std::memcpy(static_cast<void*>(into + 1), reinterpret_cast<void*>(frame), frame_bytes);
  into->forks = forks;
  *out = into;
  return true;
}

void stay(control* mine, const evacuated* frames) { mine->forks.set(mine->line, frames->forks); }

void bring_back(control* mine, evacuated* frames) {
  const continuation what = frames->what;
  const fork_line::range forks = frames->forks;
  const int owner = owner_of(frames);
  run_function const run = frames->run;
  mine->forks.set_after(mine->line, forks, [=] { bring_back_stack(mine, frames); });
  if (owner != all.job.rank)
    search_moved(owner, run, reinterpret_cast<void*>(what.frame), reinterpret_cast<void*>(what.frame_end));
}

// Places of forks that were joined before newer ones.
void end_root(control* mine) { (void)mine->forks.take_all(mine->line); }

std::size_t no_bytes(std::size_t) { return 0; }

void start(control* mine, std::byte*) {
  mine->quiet_limit = 0;
  mine->forks.set_up(mine->line, mine->first_place + 1, mine->places_end, os::register_fence_between_processes());
}

}  // namespace

constinit const policy policies::child = {
    .region_bytes = no_bytes,
    .region_bytes_a_rank = 0,
    .is_inline = true,
    .start = start,
    .fork = fork,
    .join = join,
    .steal = steal,
    .frame_end = frame_end_below,
    .copy_frame = copy_from_region,
    .evacuate = evacuate,
    .bring_back = bring_back,
    .stay = stay,
    .end_root = end_root,
};

}  // namespace weft::dist
