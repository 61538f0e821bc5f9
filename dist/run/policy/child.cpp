// The policy `child`: a fork is the inline part of hot.h, and costs what it costs on threads.
// Another rank takes the function and the bytes of the oldest fork (protocol K between ranks:
// fork_line.hpp), and runs it at the top of its own stack. A forker whose fork was taken leaves its
// rank in the join, with its frames and its other forks; where the child ends, the forker goes on.
//
// A fork's bytes are searched for addresses of the region when a thief comes, not when it is made.
#include <cstring>

#include "arch/context.hpp"
#include "arch/cpu.hpp"
#include "base/assert.hpp"
#include "dist/far/far.hpp"
#include "dist/rank/engine.hpp"
#include "dist/run/policy/child.hpp"
#include "dist/see/check.hpp"
#include "dist/words/far_words.hpp"
#include "os/fence.hpp"

namespace weft::dist {
namespace child_stealing {
namespace {

std::uintptr_t stack_top(const control* mine) { return reinterpret_cast<std::uintptr_t>(mine->slots); }

// A thread whose function came from another rank. Its own place, the first, has its work.
void run_taken(void*, void*) {
  weft_forked* const own = here()->first_place;
  own->run(own->work);
  control* const mine = here();
  (void)mine->forks.take_all(mine->line);  // joined before newer ones
  end_thread(mine, mine->base[-1].record, own->work);
}

bool holds_address(const weft_forked& place) {
  std::uintptr_t words[WEFT_FORK_BYTES / sizeof(std::uintptr_t)];
  std::memcpy(words, place.work, sizeof words);
  bool result = false;
  for (const std::uintptr_t word : words) result |= all.mine->is_in_region(word);
  return result;
}

}  // namespace

bool may_take(const weft_forked& place) {
  if (!holds_address(place)) return true;
  keep(all.mine, place.run);
  return false;
}

weft_forked* fork(control* mine, run_function run, const void* work, std::size_t bytes) {
  weft_forked* const place = mine->forks.push(mine->line, run, work, bytes);
  mine->count.full += place == nullptr ? 1 : 0;
  if (all.is_far && fork_line::is_asked(mine->line)) answer_tick(mine);
  return place;
}

bool take_back(control* mine, weft_forked* forked) {
  if (all.is_far) (void)take_back_fork(mine, forked);
  return mine->forks.take_back(mine->line, forked);
}

bool end_join(weft_forked* forked) {
  control* const now = here();
  now->forks.end_join(now->line, forked);
  return false;
}

bool take(control* mine, int victim, taken_fork* out) {
  control* const from = control_of(victim);
  if (from->forks.seems_empty(from->line)) return false;
  out->record = all.part->records.take();
  if (out->record == nullptr) return false;
  out->began = arch::cycles();
  all.part->robbed.store(static_cast<std::uint32_t>(victim) + 1, base::relaxed);
  out->victim = victim;
  out->maker = thread_of(victim);
  const auto place_of = [victim](const weft_forked* place) {
    return static_cast<weft_forked*>(const_cast<void*>(alias_of(victim, reinterpret_cast<std::uintptr_t>(place))));
  };
  const bool is_taken = from->forks.claim(from->line, place_of, may_take, out->record, &out->what);
  all.part->robbed.store(0, base::relaxed);
  if (!is_taken) all.part->records.put_back(out->record);
  out->was_claimed = arch::cycles();
  if (is_taken) mine->count.claim_ticks += out->was_claimed - out->began;
  return is_taken;
}

taken_fork taken_of(int victim, const offer& claimed) {
  taken_fork result{};
  result.record = reinterpret_cast<join_record*>(claimed.words[offer::index]);
  result.what.run = reinterpret_cast<run_function>(claimed.words[offer::what]);
  std::memcpy(result.what.work, &claimed.words[offer::bytes_at], sizeof result.what.work);
  result.victim = victim;
  result.began = when_claim_began();
  result.was_claimed = arch::cycles();
  return result;
}

void count(control* mine, const taken_fork& taken) {
  if (taken.victim == all.job.rank) return;
  ++mine->count.steals;
  mine->count.stolen_bytes += sizeof taken.what;
}

void begin(control* mine, const taken_fork& taken) {
  const std::uint64_t began = arch::cycles();
  weft_forked* const own = mine->first_place;
  std::memcpy(own->work, taken.what.work, sizeof own->work);
  own->run = taken.what.run;
  own->taker = nullptr;
  void* const frame = arch::make_context(reinterpret_cast<void*>(stack_top(mine)), run_taken, nullptr);
  occupy(mine, 1, {reinterpret_cast<std::uintptr_t>(frame), stack_top(mine), own, own + 1, nullptr, taken.record});
  if (taken.victim == all.job.rank) {
    next_is_forker(taken.victim, taken.maker, taken.what.run);
  } else {
    next_is_stolen(
        {taken.victim, taken.maker, taken.what.run, sizeof taken.what, taken.began, taken.was_claimed, arch::cycles()});
  }
  count(mine, taken);
  mine->count.take_up_ticks += arch::cycles() - began;
}

// Places of forks that were joined before newer ones.
void end_root(control* mine) { (void)mine->forks.take_all(mine->line); }

std::size_t no_bytes(std::size_t) { return 0; }

void start(control* mine, std::byte*) {
  mine->quiet_limit = 0;
  mine->forks.set_up(mine->line, mine->first_place + 1, mine->places_end, os::register_fence_between_processes());
}

}  // namespace child_stealing

void answer_tick(control* mine) {
  if (all.set.poll != 0) mine->forks.answer(mine->line);
  offer_fork(mine, child_stealing::may_take);
}

namespace {

using namespace child_stealing;

bool join(control* mine, weft_forked* forked) {
  if (take_back(mine, forked)) return true;
  // Null: the child's bytes came when its forker's frames left the node.
  if (forked->taker != nullptr) wait_for_child(mine, forked, static_cast<join_record*>(forked->taker));
  return end_join(forked);
}

bool steal(control* mine, int victim) {
  taken_fork taken;
  if (!take(mine, victim, &taken)) return false;
  begin(mine, taken);
  return true;
}

void take_offer(control* mine, int victim, const offer& claimed) {
  if (victim != all.job.rank) ask_for_next_fork(victim);
  begin(mine, taken_of(victim, claimed));
}

// The region's memory for forks is this rank's next thread's.
bool evacuate(control* mine, std::uintptr_t frame, evacuated** out) {
  const fork_line::range forks = mine->forks.take_all(mine->line);
  const std::size_t frame_bytes = reinterpret_cast<std::uintptr_t>(mine->slots) - frame;
  const bool may_leave = !all.is_far || make_forks_far(mine, forks.top);
  evacuated* const into = may_leave ? pack(mine, frame, frame_bytes, forks.bottom) : nullptr;
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
  run_function const run = frames->run;
  const int owner = all.is_far ? all.job.rank : owner_of(frames);  // another node's frames are not searched
  mine->forks.set_after(mine->line, forks, [=] { bring_back_stack(mine, frames); });
  if (owner != all.job.rank)
    search_moved(owner, run, reinterpret_cast<void*>(what.frame), reinterpret_cast<void*>(what.frame_end));
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
    .take_offer = take_offer,
    .stalls = false,
    .frame_end = frame_end_below,
    .copy_frame = copy_from_region,
    .evacuate = evacuate,
    .bring_back = bring_back,
    .stay = stay,
    .end_root = end_root,
};

}  // namespace weft::dist
