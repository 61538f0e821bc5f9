// Execution streams: each is a worker of the core, with a ULT pinned to it that runs the stream's
// main scheduler.
//
//   worker's own queue:  main scheduler's ULT --dispatch--> units from pools --dispatch--> units of ULTs that act as schedulers
//
// The dispatcher is the unit's parent; the unit returns to it when it ends, waits or yields.
#pragma once

#include <abt.h>

#include <weft/ext.h>
#include <weft_abt/atomic.hpp>

#include "faces/common/spinlock.hpp"

namespace weft::abt {

struct pool;
struct scheduler;

// Which unit runs next on a stream.
struct chosen {
  weft_thread* unit;  // null: the one that yields, if is_same; else the scheduler wants to look itself
  bool is_same;
};

// How a main scheduler chooses, without a switch to its ULT: on the stack of the unit that leaves,
// or after it. Must not block or switch.
struct choice_of_units {
  // comes_back: the pool into which the unit that leaves goes next; or null.
  chosen (*next)(void* state, const pool* comes_back);
  void* state;
  const pool* first;  // a built-in one that is looked at before all others; or null
  unsigned left;      // units until the scheduler wants to look at events

  chosen choose(const pool* comes_back) {
    if (left == 0) return {nullptr, false};
    --left;
    return next(state, comes_back);
  }
};

struct stream {
  unsigned worker;
  bool is_primary;
  atomic<int> rank;
  atomic<bool> is_over;  // its main scheduler has returned, or is about to: it looks at requests no more

  // the stream's own units, and a caller that changes a stream that does not run
  atomic<scheduler*> main_scheduler;
  weft_thread* scheduler_thread;  // runs main_scheduler
  pool* root_pool;                // that scheduler_thread is said to be in
  weft_thread* next;              // named by the unit that leaves: which runs instead, with the same parent
  choice_of_units* choice;        // while units run in a row; else null
  unsigned looks;                 // at events, by the main scheduler
  int os_thread;                  // as the system numbers it; see started

  // any OS thread
  face::spinlock changing;      // the scheduler that main_scheduler names stays while another stream holds it
  weft_event started;           // its OS thread is known
  atomic<weft_thread*> handed;  // of the primary stream: the primary ULT, which ABT_finalize needs there and another stream found

  // inside the runtime's lock, sorted by rank
  stream* before;
  stream* after;
};

// TERMINATED: it can be revived, freed, and given another main scheduler.
ABT_xstream_state state_of(const stream* one);

// Runs a unit that the caller, a ULT, owns, and those that it names as next ones. Returns when they
// ended, wait or yielded. First its requests are obeyed; the primary ULT goes to the primary stream
// if ABT_finalize needs it there. The caller may be on another stream afterwards, if it is no main
// scheduler.
void run_unit(weft_thread* owned);

// The same by a main scheduler's ULT, for `owned` and those that are chosen after it, until none
// is: from one to the other without a switch to the caller.
void run_units(weft_thread* owned, choice_of_units* choice);

// What a scheduler does now and then: requests for its stream (join, cancel), which it takes as its
// own, the dump of stacks, the primary ULT.
void check_events(stream* here, scheduler* who);
// Whether check_events would find something. For callers that are about to sleep; after it comes
// true, wake_main_scheduler is called.
bool has_events(const stream* here, const scheduler* who);

// look(its main scheduler), which stays meanwhile; null: the stream is not made yet. For other
// streams' units; must be short, and switch never.
template <class Look>
auto with_main_scheduler(stream* one, Look look) {
  const face::guard hold(one->changing);
  return look(one->main_scheduler.load(std::memory_order_relaxed));
}

// The pool that units for this stream are made in; null: it has none.
pool* main_pool(stream* one);
void wake_main_scheduler(stream* one);

// rank: ABT_XSTREAM_ANY_RANK, or the one wanted. ABT_ codes.
int create_stream(scheduler* main, int rank, bool is_primary, stream** out);
int join_stream(stream* one);
void free_stream(stream* one);
int revive_stream(stream* one);
// Of a stream that does not run, or by a ULT on it, which waits until the new one runs.
int replace_main_scheduler(stream* one, scheduler* by);
// The ULT of a main scheduler ends.
void end_main_scheduler(stream* one);

// ---- ranks (stream_rank.cpp) ----

bool take_rank(stream* one, int rank);  // into the runtime's list; false: another one has it
bool change_rank(stream* one, int rank);
void return_rank(stream* one);
// Of a caller that is no unit: a callback of a user's pool has no identity (weft/ext.h), but a
// stream. Null: outside.
stream* stream_of_callback();

}  // namespace weft::abt
