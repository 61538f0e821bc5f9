// The symbols that hot.h leaves to a library, for child-first forks whose stacks migrate.
//
// A fork writes its place, suspends the forker in a slot, and runs the child below it on the same
// stack. When the child ends and the forker is still here, the call simply returns: nothing is
// copied, no atomic instruction runs. The inline part of hot.h finds no bottom and calls the twins
// here each time. Called on the rank's worker; every other OS thread has a control block whose
// limit is 0, so that the rare way finds out, and its forks run in their joins.
#include <cstring>

#include <weft/dist.h>
#include <weft/hot.h>

#include "arch/cpu.hpp"
#include "base/assert.hpp"
#include "dist/rank/engine.hpp"
#include "dist/run/below.hpp"

namespace weft::dist {
namespace {

// True: the work holds an address of the region.
[[gnu::always_inline]] inline bool copy_work(const control& mine, const void* work, std::size_t bytes, unsigned char* into) {
  const auto* const from = static_cast<const unsigned char*>(work);
  bool holds_address = false;
  std::size_t at = 0;
  for (; at + sizeof(std::uintptr_t) <= bytes; at += sizeof(std::uintptr_t)) {
    std::uintptr_t word = 0;
    std::memcpy(&word, from + at, sizeof word);
    std::memcpy(into + at, &word, sizeof word);
    holds_address |= mine.is_in_region(word);
  }
  if ((bytes & sizeof(std::uint32_t)) != 0) {
    std::memcpy(into + at, from + at, sizeof(std::uint32_t));
    at += sizeof(std::uint32_t);
  }
  for (; at != bytes; ++at) into[at] = from[at];
  return holds_address;
}

// The rare way.
[[gnu::noinline]] weft_forked* fork_rarely(run_function run, const void* work, std::size_t bytes) {
  control* const mine = here();
  return mine->is_worker ? all.how->fork(mine, run, work, bytes) : nullptr;
}

[[gnu::noinline]] weft_forked* fork_small_rarely(run_function run, unsigned long first, unsigned long second) {
  const unsigned long words[] = {first, second};
  return fork_rarely(run, words, sizeof words);
}

}  // namespace

[[gnu::noinline]] void go_on_or_end(control* mine) {
  slot* const forker = mine->top - 1;
  // Thieves were the last to write them: one wait for all.
  if (forker->record != nullptr) arch::prefetch_to_write(forker->record);
  arch::prefetch_to_write(mine->queue.line_of_word());
  arch::prefetch_to_write(mine->queue.line_of(mine->index_of(forker)));
  if (!take_back(mine, forker)) end_child(mine);
  mine->top = forker;
}

// The child's first frame. It belongs to the child: it may return from run() on another rank.
[[gnu::noinline, gnu::aligned(64)]] void run_child(void* run, void* work) {
  reinterpret_cast<run_function>(run)(work);
  control* const mine = here();
  slot* const forker = mine->top - 1;
  if (forker < mine->split) [[unlikely]]
    return go_on_or_end(mine);
  mine->top = forker;
}

weft_forked* take_place(control* mine, run_function run, const void* work, std::size_t bytes) {
  weft_forked* const place = mine->places;
  if (place >= mine->places_end) {
    ++mine->count.full;
    return nullptr;
  }
  if (!copy_work(*mine, work, bytes, place->work)) return place;
  keep(mine, run);
  return nullptr;
}

}  // namespace weft::dist

using namespace weft::dist;

extern "C" {

[[gnu::aligned(64)]] weft_forked* weft_fork_small_slowly(void (*run)(void* work), weft_small_work work) {
  control* const mine = here();
  weft_forked* const place = mine->places;
  if (reinterpret_cast<std::uintptr_t>(place) >= mine->limit.load(weft::base::relaxed) || mine->is_in_region(work.words[0]) ||
      mine->is_in_region(work.words[1])) [[unlikely]]
    return fork_small_rarely(run, work.words[0], work.words[1]);
  // Two stores: what is written in two pieces and read as one stalls most CPUs.
  auto* const words = reinterpret_cast<unsigned long*>(place->work);
  words[0] = work.words[0];
  words[1] = work.words[1];
  return suspend_and_run(mine, place, run, run_child);
}

// Straight into the place: a copy of a length that the compiler does not know would be a call.
weft_forked* weft_fork_slowly(void (*run)(void* work), const void* work, size_t bytes) {
  control* const mine = here();
  weft_forked* const place = mine->places;
  if (reinterpret_cast<std::uintptr_t>(place) >= mine->limit.load(weft::base::relaxed) ||
      copy_work(*mine, work, bytes, place->work)) [[unlikely]]
    return fork_rarely(run, work, bytes);
  return suspend_and_run(mine, place, run, run_child);
}

// Where forkers go on; under other policies hot.h finds no bottom. The fork is at the line's end,
// or the rank was asked, at a tick, for a fork that others may take.
void weft_fork_at_limit(weft_forked* forked) {
  control* const mine = here();
  if (!all.how->is_inline || !mine->is_worker)
    weft::base::panic("weft_fork_at_limit without a line: the program was compiled with another hot.h");
  if (!mine->forks.is_at_end(forked)) return answer_tick(mine);
  mine->forks.close(mine->line);
}

[[gnu::aligned(64)]] bool weft_fork_join_slowly(weft_forked* forked) {
  control* const mine = here();
  if (mine->places == forked + 1 && forked->taker == nullptr) [[likely]] {
    mine->places = forked;
    return false;
  }
  return join_rarely(mine, forked);
}

// A fork that runs in its join, or whose forker is here, is joined; so is one that has not begun.
void weft_dist_discard(weft_forked* forked, void (*run)(void* work), void* work, size_t bytes) {
  control* const mine = here();
  if (forked == nullptr || !is_separated(forked) || all.set.policy != way::optimised || !mine->is_worker)
    return weft_fork_join(forked, run, work, bytes);
  discard(mine, forked);
}

bool weft_forks_move(void) { return here()->is_worker; }

}  // extern "C"
