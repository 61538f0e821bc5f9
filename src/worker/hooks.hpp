// What the scheduler calls of the layers that watch it (see/) and of the one that decides for it
// (seeded/). They stand above it, so it knows them by this table alone.
//
// The table is a constant, made in life/hooks.cpp. An entry that a hot path calls names the word of
// the runtime that must have been read before: without a trace, an event sink, a schedule or a look
// at stacks no hot path reads the table. The other entries are called before a sleep, in a child of
// fork(2), or at the program's end.
#pragma once

#include <cstddef>
#include <cstdint>

#include <weft/ext.h>

#include "base/atomic.hpp"

struct weft_forked;

namespace weft::mem {
struct stack;
}

namespace weft::sched {

struct runtime;
struct turn_taking;
struct unit;
struct worker;

// What a look found out for a caller that waits by attempts.
struct attempts_look {
  std::uint64_t next_ns;  // when to look again; UINT64_MAX: there is no need to
  bool has_succeeded;     // the caller's attempt, in the middle of the look
};

struct hooks {
  // ---- these only watch: nothing that they do changes what the scheduler does next ----

  // runtime::tells_events: an event of a unit.
  void (*event)(const runtime* rt, weft_event_kind kind, unit* one);
  // runtime::inspects_stacks: before a unit's first run on this stack, from a frame near its top.
  void (*prepare_stack)(worker* w, mem::stack* stack);
  // runtime::inspects_stacks, or the stack has a canary: after the unit's end.
  void (*inspect_stack)(worker* w, const unit* one, const mem::stack* stack);
  // runtime::counts_errors: `one` ran on w until now; null: no unit did.
  void (*blame_errors)(const worker* w, unit* one);
  // Builds for a sanitizer alone: `one` starts on the stack on which w stands.
  void (*name_in_race_reports)(const worker* w, const unit* one);

  // runtime::tracer: a fork was made, became a unit, or runs in its join.
  void (*trace_fork)(const worker* w, weft_forked* forked);
  void (*trace_fork_as_unit)(const runtime* rt, unit* one, const weft_forked* forked, const worker* on);
  void (*run_traced)(const runtime* rt, void (*run)(void* work), weft_forked* forked);
  // runtime::tracer: the running unit goes on after a tasklet that it dispatched.
  void (*trace_resumed)(worker* w, unit* self);

  // The last worker is about to sleep: looks for deadlocks until `until`, or until it is woken.
  void (*all_workers_idle)(worker* w, std::uint64_t until);
  // All virtual workers sleep: the same.
  void (*turns_stand_still)(runtime* rt, base::atomic<std::uint32_t>* bell, std::uint32_t rung);
  // An OS thread outside waits: as os::futex_wait, looking for deadlocks.
  void (*sleep_and_look)(base::atomic<std::uint32_t>* word, std::uint32_t value);
  // An OS thread waits by attempts (try_until.hpp): looks for deadlocks, if due_ns is not 0.
  attempts_look (*look_between_attempts)(std::uint64_t due_ns, bool (*attempt)(void* argument), void* argument);
  // is_look_off in runtime::sleepers: work was made available.
  void (*resume_lookout)(runtime* rt);
  // runtime::watchdog_dozes: a worker found something to do after it had nothing.
  void (*end_doze)(runtime* rt);
  // In a child of fork(2): what watches gives up what other OS threads held.
  void (*abandon)();

  // Ends the program with a report of the unit. Checked builds.
  void (*panic_about)(unit* one, const char* did, std::uint64_t number, const char* thing, const char* things);

  // The running unit, self, is about to be left, or its function has returned, inside a pinned
  // scope, or while its OS thread holds locks (worker::os_locks), which are forgotten then. Checked
  // builds.
  void (*tell_leaving)(worker* w, unit* self, bool has_ended);

  // A thread has outlived its runtime and is joined or detached now. Checked builds.
  void (*tell_outlived)(const unit* one);

  // ---- these decide; all of them after runtime::turns ----

  bool (*pass_point)();
  void (*pass_yield_point)();
  void (*pass_point_between)(worker* w);
  void (*pass_turn)(worker* w);
  void (*sleep_in_turn)(worker* w);
  void (*ring_bell)(turn_taking* all);
  unit* (*choose_unit)(worker* w);
  std::uint32_t (*choose_victim)(worker* w, std::uint32_t count);
  std::uint64_t (*now_ns)(const runtime* rt);
  // Whether w waits for its turn.
  bool (*awaits_turn)(const worker* w);
};

extern const hooks the_hooks;

}  // namespace weft::sched
