// Schedulers of the face: whether one stops, what it has to run and which caller frees it is
// decided here.
//
// A scheduler runs in a ULT of its own (`thread`): a stream's main scheduler, or one that was put
// into a pool. Requests are bits that any caller sets; the scheduler looks at them by
// has_to_stop(). Their setters wake a scheduler that sleeps.
#pragma once

#include <cstddef>
#include <cstdint>

#include <weft/ext.h>
#include <weft_abt/atomic.hpp>

#include <abt.h>

#include "handle.hpp"

namespace weft::abt {

enum class scheduler_use : std::uint8_t { none, main, in_pool };
enum class scheduler_kind : std::uint8_t { user, basic, basic_wait, prio, randws };

enum scheduler_request : std::uint32_t {
  stop_when_empty = 1,  // join: ABT_sched_finish
  stop_now = 2,         // ABT_sched_exit, cancel
  make_way = 4          // another one takes its stream over
};

struct scheduler {
  scheduler_use use;
  scheduler_kind kind;
  bool is_automatic;  // freed with its stream or its ULT
  ABT_sched_type type;
  atomic<std::uint32_t> requests;
  std::size_t pool_count;
  ABT_pool* pools;
  weft_pool** queues;      // of the same pools, for weft_ext_wait_for_work
  pool** served;           // the same pools in the order in which predefined schedulers look at them
  weft_thread* thread;     // null: not running
  scheduler* replacement;  // with make_way; set_main_sched keeps these two
  weft_thread* replacement_waiter;
  void* data;
  unsigned event_frequency;  // of predefined ones: units between two looks at events

  ABT_sched_init_fn init;
  ABT_sched_run_fn run;
  ABT_sched_free_fn free;
  ABT_sched_get_migr_pool_fn get_migr_pool;

  pool* pool_at(std::size_t index) const { return pool_of(pools[index]); }
  // Whether `what` is one of its pools, of the first `below`.
  bool serves(const pool* what, std::size_t below) const {
    for (std::size_t index = 0; index < below; ++index) {
      if (pool_at(index) == what) return true;
    }
    return false;
  }
  bool serves(const pool* what) const { return serves(what, pool_count); }
};

// ---- making and freeing (sched.cpp, sched_basic.cpp): ABT_ codes --------------------------------

int create_scheduler(const ABT_sched_def* def, scheduler_kind kind, int pool_count, const ABT_pool* pools,
                     ABT_sched_config config, bool is_automatic, scheduler** out);
int create_basic_scheduler(ABT_sched_predef predef, int pool_count, const ABT_pool* pools, ABT_sched_config config,
                           scheduler** out);
// One that is not in use, with its pools where they are automatic and no other scheduler has them,
// or all if pools_go.
void free_scheduler(scheduler* one, bool pools_go);
// One whose use ends: free_scheduler if it is automatic or must_go. Its thread is not its own any
// more.
void retire_scheduler(scheduler* one, bool must_go);

// ---- while it runs (sched.cpp) ------------------------------------------------------------------

// Any caller.
void request(scheduler* one, std::uint32_t bits);
// Lets a scheduler that waits for work look around: see weft_ext_pool_notify.
void wake_scheduler(scheduler* one);
bool has_to_stop(scheduler* one);
// Ready units in its pools, and blocked ones in those that no other scheduler serves.
bool has_units(scheduler* one);

// ---- stackable schedulers (sched_stack.cpp) -----------------------------------------------------

// Puts a scheduler as a ULT into a pool.
int add_scheduler(pool* one, scheduler* added);
// When the ULT of such a scheduler is freed.
inline void end_stacked(scheduler* one) { retire_scheduler(one, false); }

}  // namespace weft::abt
