// The life of ULTs and tasklets: creation, join, detach, and what they do to themselves.
#pragma once

#include <cstdint>
#include <cstring>

#include "base/status.hpp"
#include "sched/runtime.hpp"
#include "sched/unit.hpp"
#include "sched/worker.hpp"

namespace weft::sched {

struct creation {
  unit::function_type function;
  void* argument;
  const weft_thread_attr* attributes;  // null: defaults
  bool tasklet;
  bool detached;
  const void* made_at;
};

// A ULT (flag: is_default) or a tasklet (is_tasklet) without any attribute, to be joined; the path to be short.
status create_default(unit::function_type function, void* argument, unit_flag kind, unit** out, const void* made_at);
// Makes a unit and makes it ready. *out may be null only for a detached one.
status create(const creation& how, unit** out);
status create_many(const creation& how, std::size_t stride, std::size_t count, unit** out);

// What a unit is created with that owns its argument: a copy of `size` bytes, or what fill(block, source) writes.
struct copying {
  unit::function_type function;
  const void* from;
  std::size_t size;  // at most most_copied_bytes
  void (*fill)(void* to, void* source) = nullptr;
  void* source = nullptr;
};
// As create, or make_owned; of `how`, function and argument are not looked at.
status create_copied(const copying& what, creation how, bool is_owned, unit** out);
// As create_default.
status create_copied_default(unit::function_type function, const void* from, std::size_t size, unit** out, const void* made_at);
status create_filled_default(const copying& what, unit** out, const void* made_at);

// As create, but the caller owns the unit, as one that it took from a queue.
status make_owned(const creation& how, unit** out);
// The same without attributes but a home (or null), for units that are called with their own address; kind: of is_tasklet and
// join_word::detached. The path to be short.
status make_owned_plainly(pool* home, unit::function_type function, unsigned kind, unit** out, const void* made_at);
// One that has not started.
void discard_owned(unit* one);
// An ended unit that nobody joined begins anew, owned by the caller; with its id, name, home, pin, extension bytes and stack size.
status revive(unit* one, unit::function_type function, void* argument);

status join(unit* one, std::uint64_t deadline_ns);
// Of a fork that became a unit. It runs on its joiner's stack only where a fork's own stack would
// hardly have more room.
status join_fork(unit* one);
// As join, but the descriptor stays, to be joined or revived.
status wait_for_end(unit* one);
status try_join(unit* one);
status detach(unit* one);

void yield();
status yield_to(unit* next);
// As yield, but next, which the caller owns, runs at once, under the scheduler that dispatched the caller, if one did.
status yield_to_owned(unit* next, bool as_new);
void yield_as_new();
// As yield of a unit whose home is a built-in pool without priorities, if its first ready unit can run instead at once. again: nobody is
// ready there; busy: it cannot.
status yield_in_pool(bool (*accepts)(void* state, weft_thread* unit), void* state);
status suspend();
status resume(unit* one);
status sleep_until(std::uint64_t deadline_ns);
status pin(int worker_index);
status migrate(unit* one, pool* destination, unsigned worker_index);

// The running unit's function has returned.
void check_forks_joined();
inline void note_return() {
  if constexpr (config::checked) check_forks_joined();
}

// A unit ended, and wake_finalizer_if_drained is called before its worker rests, or another unit lives that will have it called.
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

// Ends a unit that returned from its function: joiners are woken, its descriptor freed if nobody will join it.
void end(worker* w, unit* one);
// What is left to do after the join word was set, outside the lock. found: as of join_word::end.
void settle_end(worker* w, unit* one, std::uintptr_t found);
// As end, for one that is not pinned, when nobody wants to be told.
inline void end_unheard(worker* w, unit* one) {
  const std::uintptr_t found = join_word::end(one);
  if (found != join_word::open) [[unlikely]]
    return settle_end(w, one, found);
  count_finished(w);
  wake_finalizer_if_drained(w);
}
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

// A ULT for a fork that was taken from its forker, whose identity it has. Null: no memory. The caller tells the event sink.
unit* make_fork_unit(worker* w, unit::function_type function, void* argument, unit* forker);

void free_details(unit* one);
details* details_of(unit* one);         // made when first asked for; null: no memory
std::uint64_t id_of(unit* one);         // likewise
mem::stack* stack_of(const unit* one);  // null: it has none now
void* extension_of(unit* one, std::size_t offset);

}  // namespace weft::sched
