// Virtual workers: under a schedule (WEFT_SCHEDULE) all workers are contexts on one OS thread, of
// which one at a time has its *turn*.
//
// The turn passes on at *points* only: where a unit calls Weft (pass_point), where a worker looks
// for its next unit, and where it has nothing to do. There no lock of the core is held, so that
// every order of turns is one that real workers could have had, with whole calls of Weft as its
// steps. Which worker goes on, which of its ready units it takes and from which it steals are
// choices of the schedule; nothing else decides, and time is counted in points, so that the same
// choices are the same run.
//
//      worker 0 (the caller of weft_init, or an OS thread of its own)    the others
//      ... unit A calls weft_mutex_lock: a point ----switch---------->   root stack: worker_main, carrier, unit B ...
//      ... goes on                               <---switch-----------   ... unit B calls weft_thread_join: a point
//
// A worker without work says so as always (protocol I) and gives its turn away until it is woken.
// When all have, the clock jumps to the first deadline. Where the process has other OS threads, or
// there are outside sources, those are waited for instead, by the real clock, and such a run
// repeats only as far as they do. When there is neither it is a deadlock, at once.
//
// What it costs other runs: nothing. `call_limit` makes calls come here by the test for null that
// they have anyway; a worker under a schedule is `is_special` and has a detour, so that no short
// way is open.
#pragma once

#include <cstdint>

#include "base/atomic.hpp"
#include "base/status.hpp"
#include "seeded/schedule.hpp"
#include "unit/unit.hpp"
#include "worker/runtime.hpp"
#include "worker/worker.hpp"

namespace weft::sched {

struct runtime;

inline constexpr unsigned usual_virtual_workers = 4;  // unless a variable says how many

struct turn_taking {
  runtime* rt;
  schedule plan;
  std::uint64_t now_ns;              // the clock of the units
  std::uint32_t turns_in_a_row;      // that the running one took although others could have gone on
  base::atomic<worker*> holder;      // whose turn it is; null: the first one's, which has not begun; for reports
  bool has_polled_alone;             // since the last point: what other OS threads brought before they ended has been found
  worker* leaver;                    // left for good by a jump to the one that runs now
  base::atomic<std::uint32_t> bell;  // rung when a worker is woken; on it the OS thread sleeps when all do
  std::uint16_t candidates[most_schedule_workers + 1];
  std::uint8_t regions_in_a_row[most_schedule_workers];  // by worker: ends of regions since others ran there
};

// Does nothing when the settings do not ask for a schedule. Errors: invalid, nomem.
status start_turns(runtime* rt);
void stop_turns(runtime* rt);

// ---- points ----

// At a call of Weft, by any caller: a unit on a virtual worker may have to wait for its next turn.
// Never leaves the unit. False: the call must not go on (left_behind.hpp).
bool pass_point();
// As pass_point, of one that waits in circles: usually another worker goes on.
void pass_yield_point();
// Of a worker, between units.
void pass_point_between(worker* w);
// Another worker's turn, if any other can go on: for one that waits for what another has to do.
void pass_turn(worker* w);
// The worker has announced that it sleeps: returns when it was woken, or has to look at timers and
// sources.
void sleep_in_turn(worker* w);
// After a worker was taken out of its sleep, by any OS thread.
void ring_bell(turn_taking* all);

// Whether w is a virtual worker that waits for its turn: its context is `turn`. For reports, by any
// OS thread.
bool awaits_turn(const worker* w);

// ---- choices ----

unit* choose_unit(worker* w);  // inside the lock; null: none is ready
// Of `count` victims, whose workers' indices stand in candidates.
std::uint32_t choose_victim(worker* w, std::uint32_t count);
// Of a unit in a blocking region, while others wait for its worker: whether they run before it goes
// on, as if the call had lasted.
bool lets_others_run(worker* w);

// The clock of the units of this runtime: clock.hpp.
std::uint64_t turns_now_ns(const runtime* rt);

// ---- the life of virtual workers ----

// The worker whose OS thread all others share. Where that is one of its own it waits until all are
// there, so that they begin alike.
void host_turns(worker* w);
// Whether no schedule is asked for, or it is the host.
bool needs_os_thread(const worker* w);
// Another worker: runs entry(w) on a stack of its own once it has its turn.
status start_virtual(worker* w, void* (*entry)(void* w));
// The last act of a worker's entry: a virtual worker does not return from it, the host does when
// all others have left.
void leave_turns(worker* w);
// Waits until the virtual worker has left. By a unit, or an OS thread outside.
void join_virtual(worker* w);

}  // namespace weft::sched
