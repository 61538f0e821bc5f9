// The life of ULTs and tasklets: creation, join, detach, and what they do to themselves.
#pragma once

#include <cstdint>
#include <cstring>

#include "base/status.hpp"
#include "unit/unit.hpp"
#include "worker/hooks.hpp"
#include "worker/runtime.hpp"
#include "worker/worker.hpp"

namespace weft::sched {

struct creation {
  unit::function_type function;
  void* argument;
  const weft_thread_attr* attributes;  // null: defaults
  bool tasklet;
  bool detached;
  const void* made_at;
};

// A ULT (flag: is_default) or a tasklet (is_tasklet) without any attribute, to be joined; the path
// to be short.
status create_default(unit::function_type function, void* argument, unit_flag kind, unit** out, const void* made_at);
// As create_default, but detached.
status create_detached(unit::function_type function, void* argument, unit_flag kind, const void* made_at);
// Makes a unit and makes it ready. *out may be null only for a detached one.
status create(const creation& how, unit** out);
status create_many(const creation& how, std::size_t stride, std::size_t count, unit** out);

// What a unit is created with that owns its argument: a copy of `size` bytes, or what fill(block,
// source) writes.
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
// As create_detached.
status create_filled_detached(const copying& what, const void* made_at);

// As create, but the caller owns the unit, as one that it took from a queue.
status make_owned(const creation& how, unit** out);
// The same without attributes but a home (or null), for units that are called with their own
// address; kind: of is_tasklet, join_word::detached and making_cleaned. The path to be short.
inline constexpr unsigned making_cleaned = 4;  // the maker keeps the extension bytes zero, and names no home
status make_owned_plainly(pool* home, unit::function_type function, unsigned kind, unit** out, const void* made_at);
// One that has not started.
void discard_owned(unit* one);
// Into the caller's queue, and out of it again if it has not started.
void start_owned(unit* one);
// As start_owned, at a worker that looks for work, if there is one.
void offer_owned(unit* one);
bool take_back(unit* one);
// An ended unit that was not joined begins anew, owned by the caller; with its id, name, home, pin,
// extension bytes and stack size.
status revive(unit* one, unit::function_type function, void* argument);

status join(unit* one, std::uint64_t deadline_ns);
// Whether the caller had better join many units from the newest on: they run on its stack, in the
// order of the queue. Another caller waits for the oldest one, behind which the worker runs them
// all, and finds the rest ended.
bool joins_newest_first();
// As join, but the descriptor stays, to be joined or revived.
status wait_for_end(unit* one);
status try_join(unit* one);
// WEFT_DROP. Of a unit that is to be dropped: its joiner, if there is one, is told so, or the
// awaiter at its end. A joiner that is dropped itself stays as it is.
void tell_joiner_of_drop(unit* one);
status detach(unit* one);

status suspend();
status resume(unit* one);
status sleep_until(std::uint64_t deadline_ns);
// Errors: timeout, cannot_block.
status yield_or_wait(std::uint64_t deadline_ns);
status pin(int worker_index);
// Before publication: the unit will be pinned by its start, to the worker that runs it then.
status stay_where_started(unit* one);
// at: the caller, for reports.
status begin_pinned(const void* at);
status end_pinned();
status migrate(unit* one, pool* destination, unsigned worker_index);

}  // namespace weft::sched
