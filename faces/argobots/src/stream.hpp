// Execution streams: each is a worker of the core, with a ULT pinned to it that runs the stream's main scheduler.
//
//   worker's own queue:  main scheduler's ULT --dispatch--> units from pools --dispatch--> units of ULTs that act as schedulers
//
// Whoever dispatches is the unit's parent; the unit returns to it when it ends, waits or yields.
#pragma once

#include <abt.h>

#include <atomic>

#include <weft/ext.h>

namespace weft::abt {

struct pool;
struct scheduler;

struct stream {
  unsigned worker;
  bool is_primary;
  std::atomic<int> rank;
  std::atomic<int> state;  // ABT_xstream_state

  // the stream's own units, and whoever changes a stream that does not run
  std::atomic<scheduler*> main_scheduler;
  weft_thread* scheduler_thread;  // runs main_scheduler
  pool* root_pool;                // that scheduler_thread is said to be in
  weft_thread* next;              // named by the unit that leaves: who runs instead, with the same parent

  // anyone
  std::atomic<weft_thread*> handed;  // of the primary stream: the primary ULT, when another stream found it

  // inside the runtime's lock, sorted by rank
  stream* before;
  stream* after;
};

// Runs a unit that the caller, a ULT on `here`, owns, and those that it names as next ones. Returns when they ended, wait or yielded.
// First its requests are obeyed; the primary ULT goes to the primary stream. The caller may then be on another stream: a scheduler
// of a pool may have been moved.
void run_unit(stream* here, weft_thread* owned);

// What a scheduler does now and then: requests for its stream (join, cancel), the dump of stacks, the primary ULT.
void check_events(stream* here, scheduler* who);

// The pool that units for this stream are made in; null: it has none.
pool* main_pool(const stream* one);

// Sleepers in wait_for_work look again whether they have to stop.
void wake_schedulers_of(stream* one);

int create_stream(scheduler* main, int rank, bool is_primary, stream** out);
int join_stream(stream* one);
void free_stream(stream* one);

// ---- set_main_sched ----

// The next scheduler of a stream, set by a ULT on it: the main scheduler's ULT takes it when its run function has returned.
int replace_main_scheduler(stream* one, scheduler* by);

}  // namespace weft::abt
