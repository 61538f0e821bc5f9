// A unit: the descriptor of a ULT or tasklet. Its join word is protocol T, docs/protocols/T.md.
//
// Two cache lines, from a worker's slab. What few units need (name, keys, a stack of its own size) hangs on `details`.
#pragma once

#include <cstdint>

#include "base/align.hpp"
#include "base/atomic.hpp"
#include "base/list.hpp"
#include "fiber/fiber.hpp"
#include "mem/stack.hpp"
#include "queue/ready_queue.hpp"
#include "sched/details.hpp"

namespace weft::sched {

struct pool;
struct waiter;
struct worker;

// Set at creation; those marked * may change later.
enum unit_flag : std::uint16_t {
  is_tasklet = 1 << 0,
  has_own_stack = 1 << 1,     // a stack of its own size or the user's: details->stack_request
  keeps_fp = 1 << 2,
  is_main = 1 << 3,           // the adopted caller of weft_init, on its OS stack
  wants_to_move = 1 << 5,     // * details->destination is set
  is_default = 1 << 6,        // a ULT without any attribute: may run on its joiner's stack
  stays_put = 1 << 7,         // * pinned to worker `home_worker`
};

enum class unit_state : std::uint8_t { ready, running, blocked, suspended, ended };

struct alignas(base::cache_line) unit : base::list_link {
  using function_type = void (*)(void*);

  // set before publication
  function_type function;
  void* argument;

  // whoever runs it
  fiber::context context;    // saved while it is parked or ready after a run
  mem::stack* stack;         // null before the first run, and for the main unit
  pool* home;                // null: the default queue of whoever makes it ready
  base::atomic<unit_state> state;
  bool is_borrowing;         // runs on its joiner's stack
  std::uint16_t home_worker; // when stays_put
  base::atomic<std::uint16_t> flags;

  // any OS thread; protocol T
  base::atomic<std::uintptr_t> join;

  base::atomic<queue::ready_queue<unit>*> in;  // the worker queue that holds it; written inside that queue's lock
  unit* parent;                  // the scheduler ULT that dispatched it, while it runs
  waiter* waiting;               // what it waits for; for reports
  details* extra;                // null: none
  std::uint64_t id;              // 0: a free block
  const void* made_at;           // the caller of create; for reports
  base::atomic<std::uint32_t> permit;  // weft_suspend and weft_resume: protocol P

  bool may_be_stolen() const { return !has(stays_put); }
  bool has_run() const { return context.is_saved(); }
  bool has(unit_flag flag) const { return (flags.load(base::relaxed) & flag) != 0; }
  void set(unit_flag flag) { flags.fetch_or(flag, base::relaxed); }
  void clear(unit_flag flag) { flags.fetch_and(static_cast<std::uint16_t>(~flag), base::relaxed); }
};

inline constexpr std::size_t unit_bytes = 128;
static_assert(sizeof(unit) == unit_bytes);

// ---- the join word (protocol T) ----
//
//      open ----> waiter ----> ended        a joiner came first and is woken by the end
//      open ----> ended                     joiners find it ended
//      open ----> detached --> (freed)      nobody will join

namespace join_word {
inline constexpr std::uintptr_t open = 0;
inline constexpr std::uintptr_t ended = 1;
inline constexpr std::uintptr_t detached = 2;

inline bool has_ended(const unit* one) {
  // [T1] acquire: the joiner sees all that the unit did; pairs with [T2]
  return one->join.load(base::acquire) == ended;
}

// The unit's last act. Returns what was there: open, detached, or a waiter to wake.
inline std::uintptr_t end(unit* one) {
  // [T2] acq_rel: publishes what the unit did, and sees the waiter's fields; pairs with [T1] [T3] [T4] [T5]
  return one->join.exchange(ended, base::acq_rel);
}

// False: it has ended, or somebody else waits (*found tells).
inline bool wait_for(unit* one, waiter* joiner, std::uintptr_t* found) {
  *found = open;
  // [T3] acq_rel: publishes the waiter's fields, or sees what the unit did; pairs with [T2]
  return one->join.compare_exchange_strong(*found, reinterpret_cast<std::uintptr_t>(joiner), base::acq_rel, base::acquire);
}

// A joiner whose deadline passed. False: it has ended meanwhile.
inline bool give_up(unit* one, waiter* joiner) {
  auto expected = reinterpret_cast<std::uintptr_t>(joiner);
  // [T4] acquire: sees what the unit did; pairs with [T2]
  return one->join.compare_exchange_strong(expected, open, base::acquire, base::acquire);
}

// False: it has ended (or is being joined): *found tells.
inline bool detach(unit* one, std::uintptr_t* found) {
  *found = open;
  // [T5] acquire: sees what the unit did; pairs with [T2]
  return one->join.compare_exchange_strong(*found, detached, base::acquire, base::acquire);
}
}  // namespace join_word

}  // namespace weft::sched
