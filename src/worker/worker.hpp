// A worker: the record of one OS thread that runs units. Fields are grouped by the OS threads that
// may touch them.
#pragma once

#include <cstdint>

#include "base/align.hpp"
#include "base/atomic.hpp"
#include "base/rng.hpp"
#include "fiber/fiber.hpp"
#include "mem/pointer_table.hpp"
#include "mem/slab.hpp"
#include "mem/stack.hpp"
#include "os/thread.hpp"
#include "os/topology.hpp"
#include "queue/biased_lock.hpp"
#include "queue/inbox.hpp"
#include "queue/ready_queue.hpp"
#include "unit/awaiter_delivery.hpp"
#include "unit/unit.hpp"
#include "worker/copied.hpp"
#include "worker/fork_deque.hpp"
#include "worker/hooks.hpp"
#include "worker/lent_word.hpp"
#include "worker/runtime.hpp"
#include "worker/whereabouts.hpp"

namespace weft::sched {

struct adopted;
struct blocking_call;
struct pool;
struct scheduler;
struct waiter;

// What remains to be done for a fiber that was left, once its context is saved: publish it, free
// its stack. Runs on the fiber that the worker went to, without identity; must not switch.
struct after_switch {
  void (*run)(worker* w, void* argument) = nullptr;
  void* argument = nullptr;
};

// An OS thread's alternate signal stack, and what it had before.
struct signal_stack {
  void* memory = nullptr;  // null: not ours
  void* base_before = nullptr;
  std::size_t bytes_before = 0;
  int flags_before = 0;
};

// For worker::two_carried, where nothing is carried, or more than two words.
inline constexpr std::uint64_t nothing_carried[2] = {0, 0};
inline constexpr std::uint64_t more_carried[2] = {1, 1};

struct alignas(base::cache_line) worker {
  // ---- owner, hot ----
  queue::biased_lock<worker> lock;  // protocol D; thieves reach into it and into `ready`
  queue::ready_queue<unit> ready;   // inside `lock`
  unit* current = nullptr;          // null while the worker chooses
  mem::stack* standing = nullptr;   // the stack that the worker stands on; null: that of the caller of weft_init
  unit* first = nullptr;            // what a fresh carrier runs first
  after_switch after;
  std::int32_t turns_left = 0;    // choices until timers, sources, mail and the unit that has waited longest are due
  bool owes_oldest = false;       // the next choice is the unit that has waited longest
  bool is_turn_of_pools = true;   // the next choice begins with the pools, then with the own queue, in turn
  bool owes_pools = false;        // the next look into pools begins with another pool than the first
  bool is_special = false;        // the runtime's
  bool waits_as_outside = false;  // no unit runs, but a wait here may block the OS thread
  bool is_in_sink = false;        // the event sink is called; for checks
  bool is_watched = false;        // each unit's run is observed: an event sink, or stacks are inspected
  std::uint32_t index = 0;
  runtime* rt = nullptr;
  mem::slab_cache units;
  void* carried = nullptr;      // this OS thread's copy of what weft_ext_carry registered: zero while no unit has anything there
  std::uint64_t coarse_ns = 0;  // the clock when the worker last looked around
  base::atomic<std::uint32_t> detours{
      0};                   // pools served, schedulers set, special, ending: 0 means that the own queue is all there is
  mem::stack_cache stacks;  // never empty while a unit runs

  const std::uint64_t* two_carried = nothing_carried;  // the words of `carried`, or two that are always or never zero

  fork_deque forks;  // protocol K; programs reach into it through hot.h

  // ---- owner writes, any OS thread reads ----
  alignas(base::cache_line) base::atomic<std::uint64_t> created{0};
  base::atomic<std::uint64_t> finished{0};
  base::atomic<std::uint64_t> stolen{0};
  base::atomic<std::uint64_t> times_idle{0};  // how often it ran out of work
  base::atomic<std::uint64_t> forks_taken{0};
  base::atomic<std::uint64_t> searches{0};  // looks at others for something to steal
  base::atomic<std::uint64_t> thefts{0};    // those that found something
  base::atomic<std::uint64_t> sleeps{0};
  base::atomic<std::uint64_t> blocking_calls{0};  // regions that its threads began
  base::atomic<bool> is_idle{false};              // it looks for work, or sleeps

  // ---- any OS thread; protocols B, D and I ----
  alignas(base::cache_line) queue::inbox<unit> mail;  // units that any worker may run
  queue::inbox<unit> pinned_mail;                     // units that only this one may run
  base::atomic<std::uintptr_t> reply{0};              // a victim's answer to this worker's question
  base::atomic<std::uint32_t> is_asleep{0};           // futex; values in run/wake.hpp
  base::atomic<bool> must_end{false};                 // weft_worker_remove, WEFT_DROP
  base::atomic<std::uint32_t> has_ended{0};           // futex: it runs no unit any more
  base::atomic<bool> is_serving{false};               // false: not started, ending, or ended
  base::atomic<std::uint32_t> pinned_units{0};        // guarded by the runtime's workers_lock for adding
  base::atomic<waiter*> remover{nullptr};             // waits until this worker has ended
  base::atomic<bool> is_removal_settled{false};       // one caller has done the last of it
  base::atomic<bool> is_removed_by_unit{false};       // not by an OS thread outside
  base::atomic<bool> may_run{false};                  // its OS thread may begin
  base::atomic<std::uint64_t> times_woken{0};         // from sleep, by others
  base::atomic<source*> kept_source{nullptr};         // in which it sleeps instead of on its futex
  lent_word<blocking_call> lent;                      // protocol O
  base::atomic<std::uint32_t> claims{0};              // OS threads that wait for it, see life/hosts.cpp
  base::atomic<std::uint32_t> lack_place{0};  // of its thread's region, among those for which no OS thread is left; 0: none
  blocking_call* first_claim = nullptr;       // guarded by the lock of the hosts
  bool is_taken = false;                      // the slot is in use; guarded by the runtime's workers_lock

  // ---- owner, cold ----
  alignas(base::cache_line) base::rng random{0};
  struct held_locks {              // of OS threads (pthread_mutex_t), by this one; checked builds
    std::uint32_t count = 0;       // since the last unit was left
    const void* taken_at[8] = {};  // the callers that took the first ones: as a rule the last one is given back first

    const void* place() const { return taken_at[(count < 8 ? count : 8) - 1]; }  // of the last that is held; pre: one is
  };
  held_locks os_locks;
  arrival arrivals[kept_arrivals];  // checked builds
  struct standstill {               // a unit waits for a stack, and no unit finishes anywhere
    std::uint64_t since_ns = 0;     // 0: never
    std::uint64_t seen_ns = 0;      // last
    std::uint64_t finished = 0;     // by then
  };
  standstill without_stack;  // though others go on here
  standstill without_any;    // and no unit can go on here
  bool has_warned_of_stacks = false;
  bool expects_mail = false;         // it ended the last time without work
  std::uint64_t steal_after_ns = 0;  // back-off: no questions before
  std::uint64_t steal_pause_ns = 0;
  std::uint64_t looked_at_ns = 0;   // while standing back
  std::uint64_t finished_then = 0;  // by those that had units to steal
  kept_look last_look;              // under WEFT_MIGRATE: the worker of which it last looked
  std::uint64_t stolen_at_ns = 0;
  std::uint32_t stolen_batch = 0;
  std::uint64_t stolen_worth_ns = 0;
  bool has_stolen_forks = false;    // the last theft
  std::uint32_t forks_at_once = 1;  // by a theft
  std::uint64_t searching_since_ns = 0;
  std::uint64_t ask_after_ns = 0;  // it does not ask for public forks before
  std::uint64_t ask_every_ns = 0;
  std::uint64_t spin_ns = 0;        // before it sleeps, if that is longer than the settings say
  bool has_run_taken_fork = false;  // its last work
  std::uint32_t first_pool = 0;     // where a look into pools that is owed begins
  std::uint32_t looks_passed = 0;   // by joins that ran the unit at once although others had waited longer
  fork_segment* spare_forks = nullptr;
  std::uint32_t spare_fork_count = 0;
  unsigned victim_count = 0;
  std::uint16_t victim_ends[os::level_count + 1] = {};  // in `victims`, of those at each distance
  unsigned victim_slots = 0;                            // the runtime's worker_slots when they were put in order
  mem::pointer_table<pool> pools;                       // guarded by the runtime's pools_lock for writing
  base::atomic<std::uint32_t> pool_count{0};
  base::atomic<bool> is_visiting{false};   // looks into pools, or asks `custom`: they must not go
  base::atomic<std::uintptr_t> custom{0};  // a scheduler, see serving.cpp; 0: none
  arch::fp_control fp;                     // this OS thread's, while a unit runs that keeps its own
  fiber::context origin;                   // the OS thread's own stack, while it runs fibers
  fiber::sanitizer::side origin_side;
  os::os_thread os_thread;
  base::atomic<int> os_thread_id{0};
  signal_stack fault_stack;
  std::uint16_t cpu = 0;
  base::atomic<std::uint16_t> domain{0};  // its last-level cache's number among those of the workers

  mem::few_stacks_cache sized_stacks[mem::stack_classes - 1];  // by class, from 1 on

  std::size_t asked_stack_bytes = 0;  // the size that was asked for last, and its class
  unsigned asked_stack_class = 0;
  bool has_run_sized = false;  // since its last sleep: a unit on a stack not of the default size

  delivery delivers;  // of awaiters; the owner writes

  mem::slab_cache copied_caches[copied_classes];  // started when first used

  std::uint64_t builders_words[most_builders_words] = {};  // weft_ext_worker_reserve; the builders' own
  adopted* adoption = nullptr;  // whose caller called weft_worker_adopt; written inside the runtime's workers_lock

  // ---- virtual workers (turns.hpp): the one that has its turn ----
  fiber::context turn;  // where it goes on
  fiber::sanitizer::side turn_side;
  base::atomic<bool> has_turns{false};
  mem::stack* root = nullptr;  // at whose bottom it starts and ends; null: on an OS thread of its own
  base::atomic<bool> has_left{false};

  // ---- owner ----
  std::uint16_t victims[most_workers];  // worker indices, near first; at the end, where those that are not there take no memory
};

// Around callbacks of the builders, which have no identity and so cannot wait, whichever worker's
// turn it is. They must not switch either.
class without_identity {
 public:
  explicit without_identity(worker* w) : without_identity(w, false) {}
  ~without_identity() { become(kept_, waited_as_outside_); }
  without_identity(const without_identity&) = delete;
  without_identity& operator=(const without_identity&) = delete;

 protected:
  without_identity(worker* w, bool may_block)
      : worker_(w), kept_(w != nullptr ? w->current : nullptr), waited_as_outside_(w != nullptr && w->waits_as_outside) {
    become(nullptr, may_block);
  }

 private:
  void become(unit* one, bool may_block) {
    if (worker_ == nullptr) return;
    worker_->current = one;
    worker_->waits_as_outside = may_block;
  }

  worker* worker_;
  unit* kept_;
  bool waited_as_outside_;
};

// Around calls that wait as an OS thread outside would: the worker stands still meanwhile.
class as_outside : public without_identity {
 public:
  explicit as_outside(worker* w) : without_identity(w, true) {}
};

}  // namespace weft::sched
