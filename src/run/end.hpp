// The end of a unit: its joiner is woken, or its descriptor goes back to the slab, and the last end
// wakes weft_finalize.
#pragma once

#include <cstdint>
#include <cstring>

#include "unit/unit.hpp"
#include "worker/runtime.hpp"
#include "worker/worker.hpp"

namespace weft::sched {

// Units that were made and have not ended. Exact when it is 0.
std::uint64_t live_units(runtime* rt);

// Wakes the finalizer if the last unit has ended.
void check_drained(runtime* rt);

// A unit ended, and wake_finalizer_if_drained is called before its worker rests, or another unit
// lives that will have it called.
inline void count_finished(worker* w) {
  // [A27] release: what a unit made is counted before its end is; pairs with [A26]
  w->finished.store(w->finished.load(base::relaxed) + 1, base::release);
}

// The last unit ended while weft_finalize waits for that.
inline void wake_finalizer_if_drained(runtime* rt) {
  // [A23] light fence: counts before draining; pairs with [A22]
  base::light_fence();
  if (rt->is_draining.load(base::relaxed)) [[unlikely]]
    check_drained(rt);
}
inline void wake_finalizer_if_drained(const worker* w) { wake_finalizer_if_drained(w->rt); }

// Ends a unit that returned from its function: joiners are woken, its descriptor freed if no thread
// will join it.
void end(worker* w, unit* one);
// What is left to do after the join word was set, outside the lock. found: as of join_word::end.
void settle_end(worker* w, unit* one, std::uintptr_t found);
// As end, for one that is not pinned, when no observer wants to be told.
inline void end_unheard(worker* w, unit* one) {
  const std::uintptr_t found = join_word::end(one);
  if (found != join_word::open) [[unlikely]]
    return settle_end(w, one, found);
  count_finished(w);
  wake_finalizer_if_drained(w);
}
// A joiner that loses to its deadline is told that its record was let go.
void wake_joiner(waiter* joiner);
// Of a joiner that is not woken by this end: its record is not touched any more.
void let_joiner_go(waiter* joiner);
// Back to the slab, with its details.
void free_unit(worker* w, unit* one);
inline bool has_used_second_line(const unit* one) {
  return one->has_parked() || one->has_any(is_known | has_own_stack | may_be_dispatched);
}
// The same for a unit that did not, into a cache with room. False: nothing was done.
[[gnu::always_inline]] inline bool free_plainly(worker* w, unit* one) {
  if (w == nullptr || has_used_second_line(one) || w->units.is_full()) [[unlikely]]
    return false;
  one->state.store(unit_state::free, base::relaxed);
  w->units.give_one(one);
  return true;
}

// Zeroes all but the first line again: the second one and the extension bytes, line by line.
inline void clean_lines(const runtime* rt, unit* one) {
  char* const begin = reinterpret_cast<char*>(one);
  char* const end = begin + rt->unit_bytes;
  for (char* line = begin + base::cache_line; line != end; line += base::cache_line) std::memset(line, 0, base::cache_line);
}
// As free_plainly for one that did, but has no details.
[[gnu::always_inline]] inline bool free_used(worker* w, unit* one) {
  if (w->units.is_full() || one->extra.load(base::relaxed) != nullptr) [[unlikely]]
    return false;
  clean_lines(w->rt, one);
  one->state.store(unit_state::free, base::relaxed);
  w->units.give_one(one);
  return true;
}

// The destructors of the running unit's values under keys; may switch. thread/key.cpp has it.
void run_key_destructors(unit* one);

}  // namespace weft::sched
