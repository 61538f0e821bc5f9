// The runtime: the record of what all workers share.
#pragma once

#include <cstdint>

#include <weft/ext.h>

#include "arch/context.hpp"
#include "base/atomic.hpp"
#include "base/status.hpp"
#include "mem/slab.hpp"
#include "mem/stack.hpp"
#include "os/env.hpp"
#include "os/thread.hpp"
#include "os/topology.hpp"
#include "queue/inbox.hpp"
#include "queue/spinlock.hpp"
#include "unit/timer.hpp"
#include "unit/unit.hpp"
#include "worker/copied.hpp"
#include "worker/hooks.hpp"
#include "worker/stillness.hpp"

namespace weft::sched {

struct worker;
struct scheduler;
struct source;
struct lookout;
struct fork_segment;
struct hosts;
struct watchdog;
struct waiter;
struct stack_marks;
struct tracing;
struct turn_taking;

// How a run under a schedule ends that cannot go on; docs/guide/replay.md, `weft explore` and
// scripts know them.
inline constexpr int exit_deadlock = 86;
inline constexpr int exit_diverged = 87;

using os::most_workers;
inline constexpr std::size_t most_carried_bytes = 32;
inline constexpr std::size_t most_reserved_bytes = 256;
inline constexpr std::size_t most_traced_bytes = 64;
inline constexpr unsigned most_sources = 64;
inline constexpr unsigned most_builders_words = 8;
inline constexpr unsigned most_domains = most_workers;

// What the event sink is. Those that were replaced go with the runtime: a call may still be inside
// them.
struct listener {
  void (*hear)(void* state, weft_event_kind kind, weft_thread* thread);
  void* state;
  listener* replaced;
};

// Whether forks get stacks of their class; found out when the first one needs one.
enum class fork_stacks : std::uint8_t { unknown, large, usual };

struct runtime {
  // ---- set at start ----
  os::settings settings;
  os::guard_kind guard;
  bool has_adopted_caller;
  bool has_asked_for_stacks;  // of a certain size, in its weft_config
  bool is_special;            // a new unit does not simply enter its maker's queue: migration or locality settings
  bool inspects_stacks;       // after each unit: for high-water marks, canaries or the sink of stacks
  stack_marks* marks;         // WEFT_STACK_REPORT
  mem::stack_sink stack_sink;
  bool is_observed;      // events were observed then, by a sink or a trace: no short ways
  bool counts_errors;    // so does Memcheck, which counts errors and names no thread: blame.hpp
  tracing* tracer;       // null: no trace
  void (*finalize)();    // as weft_finalize, whatever was nested
  std::uint32_t number;  // among the runtimes of this process, from 1
  std::size_t unit_bytes;
  void* (*carried_address)();
  std::size_t carried_bytes;
  std::size_t lend_bytes;       // a joiner lends its stack while this much is free; PTRDIFF_MAX: never
  std::size_t fork_lend_bytes;  // the same, to a fork
  unsigned fork_class;          // of the stacks of forks that became units
  os::topology* machine;
  std::uint16_t* cpus;  // the inherited mask
  unsigned cpu_count;
  std::uint16_t* placed_cpus;  // that the workers get in turn; behind `cpus`
  unsigned placed_cpu_count;   // 0: those of the mask
  unit main_unit;
  unsigned char main_extension[most_reserved_bytes + most_traced_bytes];  // right behind it, as in the slab: ext.h
  std::uintptr_t main_caller;                                             // its pthread_t
  int main_os_thread_id;
  void* main_low;  // the adopted caller's stack
  std::size_t main_bytes;
  fiber::sanitizer::side main_side;
  pool* domain_pools[most_domains];           // WEFT_LOCALITY_DOMAIN: one a last-level cache
  std::uint16_t domain_caches[most_domains];  // guarded by workers_lock
  base::atomic<unsigned> domain_count;
  lookout* look;       // of a lone worker; null: none
  turn_taking* turns;  // WEFT_SCHEDULE: all workers are virtual; null: not asked for
  // What the OS threads of its workers had from the one that called weft_init: the spare ones have
  // the same.
  os::inheritance inherited;
  arch::fp_control inherited_fp = arch::save_fp_control();

  // ---- any OS thread ----
  base::atomic<bool> tells_events;  // to a trace, the event sink, or counters of errors
  base::atomic<listener*> sink;     // null: none
  listener* replaced_sinks;         // guarded by pools_lock
  base::atomic<worker*> workers[most_workers];
  base::atomic<unsigned> worker_slots;  // highest index in use + 1
  base::atomic<unsigned> worker_count;
  base::atomic<bool> steals_by_now;  // although settings.locality, a layer's, does not say so: second_init.hpp
  base::atomic<bool> is_draining;    // weft_finalize waits for the last unit
  base::atomic<bool> is_stopping;
  base::atomic<waiter*> finalizer;
  alignas(base::cache_line) base::atomic<std::uint32_t> sleepers;  // protocol I
  base::atomic<std::uint32_t> searchers;
  alignas(base::cache_line) base::atomic<worker*> clock_keeper;  // the sleeper that has the next deadline
  base::atomic<std::uint64_t> keeper_looks_at_memory_ns;         // run/idle_memory.cpp
  timers alarms;
  base::atomic<std::uint32_t> expiring;  // awaiters whose deadline has passed, and whose ready has not returned
  base::atomic<std::uint64_t> next_id;
  base::atomic<std::uint64_t> outside_created;
  base::atomic<std::uint64_t> outside_discarded;
  base::atomic<std::uint64_t> migrations;
  base::atomic<std::uint32_t> joiners_behind;  // joiners that parked so that units that had waited longer run: join.cpp
  base::atomic<std::uint32_t> next_target;     // round robin for units that come from outside
  mem::slab_depot unit_depot;
  mem::slab_depot copied_depots[copied_classes];
  mem::mapped_guards mapped_guards;
  mem::stack_depot stack_depot;                           // of stacks of the default size
  mem::stack_depot sized_stacks[mem::stack_classes - 1];  // of the other classes, from 1 on
  base::atomic<fork_stacks> fork_stacks_are;
  base::atomic<bool> has_told_of_forks;
  base::atomic<std::uint64_t> context_slots;  // slots that contexts hold; counted in checked builds

  queue::spinlock stack_sizes_lock;
  unsigned stack_size_count;  // classes of sizes that were asked for; guarded by stack_sizes_lock

  queue::spinlock outside_lock;
  mem::slab_cache outside_units;  // guarded by outside_lock

  // Beyond the spare segments of workers: they are taken on one worker and given back on another.
  queue::spinlock fork_segments_lock;
  fork_segment* spare_fork_segments;                     // guarded by fork_segments_lock
  base::atomic<std::uint32_t> spare_fork_segment_count;  // written inside fork_segments_lock

  queue::spinlock pools_lock;
  queue::spinlock workers_lock;       // adding and removing workers; taken before pools_lock
  unsigned adopted_count;             // OS threads that are adopted, or about to be; guarded by workers_lock
  bool adopts_no_more;                // weft_finalize has begun; guarded by workers_lock
  base::atomic<bool> drops;           // WEFT_DROP: no worker comes, goes or is claimed; written inside workers_lock
  base::atomic<std::uint32_t> calls;  // under way, that add or remove a worker or make a unit ready from outside
  base::atomic<source*> sources[most_sources];
  base::atomic<unsigned> source_slots;
  base::atomic<unsigned> sources_of_work;  // those that are no bells, and threads that wait for one that is
  base::atomic<unsigned> sources_to_keep;  // those that have a wait
  source* retired_sources;                 // removed; guarded by pools_lock
  queue::inbox<waiter> woken_in_handlers;  // records of ULTs; protocols B and C

  queue::spinlock watch_lock;
  base::list<base::list_link> watches;  // those that wait for work in pools; guarded by watch_lock

  // An OS thread that looks at the workers; null: there is none, or none yet.
  base::atomic<watchdog*> dog;
  base::atomic<bool> has_tried_watchdog;
  base::atomic<bool> watchdog_dozes;
  base::atomic<std::uint32_t> watchdog_bell;     // futex: what it must not sleep through, see watchdog.cpp
  base::atomic<std::uint32_t> told_standstills;  // a bit for each kind that is told once

  base::atomic<hosts*> spare_hosts;  // of blocking regions; null: none began yet

  stillness still;  // guarded by the hold on the runtime
};

// A bit of runtime::sleepers: the timer of the lone worker is off until work is made available.
inline constexpr std::uint32_t is_look_off = 1U << 31;

inline std::uint32_t sleeping_workers(const runtime* rt) { return rt->sleepers.load(base::relaxed) & ~is_look_off; }

// The adopted caller, or null.
inline unit* main_of(runtime* rt) { return rt->has_adopted_caller ? &rt->main_unit : nullptr; }

// Tells the observers of an event of a unit, if there are any: observers.hpp.
inline void note(const runtime* rt, weft_event_kind kind, unit* one) {
  if (rt->tells_events.load(base::relaxed)) [[unlikely]]
    the_hooks.event(rt, kind, one);
}

inline bool has_domains(const runtime* rt) { return rt->settings.locality == WEFT_LOCALITY_DOMAIN; }

// Whether schedulers are to return.
inline bool is_over(const runtime* rt) { return rt->is_stopping.load(base::relaxed) || rt->is_draining.load(base::relaxed); }

// The worker that is or was in a slot; null: none yet. A slot is never emptied before the runtime
// ends.
inline worker* worker_in_slot(const runtime* rt, unsigned index) {
  // [A8] acquire: sees the worker's fields; pairs with [A4]
  return rt->workers[index].load(base::acquire);
}
// The worker at `index`; null: none serves there.
worker* serving_worker(runtime* rt, unsigned index);

// Counts a unit that is pinned to a worker. False: no worker serves there.
bool pin_to(runtime* rt, unsigned index);
void unpin_from(runtime* rt, unsigned index);

// Around a call of an OS thread that weft_finalize would not wait for otherwise. The end is its
// last access to the runtime.
void begin_call(runtime* rt);
void end_call(runtime* rt);

// Where worker `index` is placed on the machine; a synthetic machine has CPUs of its own. And the
// CPU of this machine to which the worker is bound, if it is.
unsigned cpu_of(const runtime* rt, unsigned index);
unsigned bound_cpu_of(const runtime* rt, unsigned index);

}  // namespace weft::sched
