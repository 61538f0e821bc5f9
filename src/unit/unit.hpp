// A unit: the descriptor of a ULT or tasklet. Its join word is protocol T, docs/protocols/T.md.
//
// Two cache lines, from a worker's slab. A unit that runs to its end without parking, and is never
// asked for its id, touches the first line only: the second one is laid out zero, and cleaned when
// a unit that used it is freed. What few units need (name, keys) hangs on `extra`.
#pragma once

#include <cstdint>

#include "base/align.hpp"
#include "base/assert.hpp"
#include "base/atomic.hpp"
#include "base/list.hpp"
#include "fiber/fiber.hpp"
#include "mem/stack.hpp"
#include "os/alone.hpp"
#include "queue/ready_queue.hpp"
#include "unit/details.hpp"

namespace weft::mem {
struct left_chunk;
}

namespace weft::sched {

struct pool;
struct relay;
struct waiter;
struct worker;

// Set at creation; those marked * may change later.
enum unit_flag : std::uint16_t {
  is_tasklet = 1 << 0,
  has_own_stack = 1 << 1,  // of its own size, or the user's
  keeps_fp = 1 << 2,
  is_main = 1 << 3,            // the adopted caller of weft_init, on its OS stack
  may_be_dispatched = 1 << 4,  // * made for a builder, or once told to go back to a scheduler, as a
                               // joiner may be: `parent` tells
  wants_to_move = 1 << 5,      // * extra says where
  is_default = 1 << 6,         // a ULT without any attribute: may run on its joiner's stack
  stays_put = 1 << 7,          // * pinned to worker `home_worker`
  is_known = 1 << 8,           // * id, permit, priority or extra are in use
  is_fork = 1 << 9,            // `forker` is set: a fork taken from its forker, with its identity
  ends_noticed = 1 << 10,      // * ends with an exchange: a joiner needs no fence; never cleared
  is_adopted = 1 << 11,        // weft_worker_adopt's caller, on its OS stack; argument: adopted.hpp
};

// The highest flags are a number: the size class of the stack on which the unit starts.
inline constexpr unsigned size_class_shift = 12;
inline constexpr unsigned size_class_flags = (mem::stack_classes - 1) << size_class_shift;
static_assert(size_class_flags <= UINT16_MAX && (size_class_flags & (unsigned{is_adopted} << 1)) != 0);

// free: a block of the slab that is no unit now; zero-filled memory is free. One that has ended
// says so in its join word alone.
enum class unit_state : std::uint8_t { free, ready, running, blocked, suspended };

inline constexpr std::uint16_t in_pool = UINT16_MAX;

// A unit's saved context, or, before it first parks, where it was made.
class context_word {
 public:
  // Any OS thread may ask; once true it stays true.
  bool is_saved() const { return (base::load_relaxed(word_) & 1) == 0; }
  static bool are_saved(const context_word& one, const context_word& other) {
    return ((base::load_relaxed(one.word_) | base::load_relaxed(other.word_)) & 1) == 0;
  }
  fiber::context context() const { return {reinterpret_cast<void*>(word_)}; }
  void** slot() { return reinterpret_cast<void**>(&word_); }

  // The caller of create, or a place in the source: os/place.hpp
  void set_maker(const void* code) { word_ = reinterpret_cast<std::uintptr_t>(code) << 1 | 1; }
  const void* maker() const { return reinterpret_cast<const void*>(word_ >> 1); }

 private:
  std::uintptr_t word_ = 1;
};

struct alignas(base::cache_line) unit : base::list_link {
  using function_type = void (*)(void*);

  // set before publication
  function_type function;
  void* argument;

  // any OS thread; protocol T
  base::atomic<std::uintptr_t> join;

  // the worker that runs it, or took it from a queue; a caller that names the unit meanwhile looks
  // at home_worker by load_relaxed
  context_word context;
  base::atomic<pool*> home;  // null: the default queue of its waker
  base::atomic<unit_state> state;
  std::uint16_t home_worker;       // when stays_put; else, under WEFT_MIGRATE, where it ran last
  base::atomic<std::uint16_t> in;  // the queue that holds it: a worker's number, in_pool, or 0;
                                   // written inside that queue's lock
  base::atomic<std::uint16_t> flags;

  // ---- second line ----
  mem::stack* stack = nullptr;            // while parked, and of units with a stack of their own
  unit* parent = nullptr;                 // the scheduler ULT to which it returns; null: it was
                                          // not dispatched. Its worker, or its owner
  waiter* waiting = nullptr;              // what it waits for; for reports
  base::atomic<details*> extra{nullptr};  // made when first needed: details_of, details_if_any
  base::atomic<std::uint64_t> id{0};      // given when first asked for
  const void* made_at = nullptr;          // once it has parked: as context_word::maker()
  std::uint32_t left_forks = 0;           // of segments that it left, not joined yet
  base::atomic<std::uint8_t> permit{0};   // weft_suspend and weft_resume: protocol P
  std::uint8_t priority = 0;              // in a pool by priorities; set before publication; not 0 only if is_known
  std::uint16_t left_on = 0;              // checked builds: the number of the worker that left it last, and 1
  union {
    unit* forker = nullptr;    // when is_fork
    relay* relays;             // otherwise, while it dispatches units in turn
    mem::left_chunk* left_in;  // of one that has outlived its runtime: where its block lies
  };

  bool has(unit_flag flag) const { return (flags.load(base::relaxed) & flag) != 0; }
  bool has_any(unsigned some) const { return (flags.load(base::relaxed) & some) != 0; }
  void set(unit_flag flag) { flags.fetch_or(flag, base::relaxed); }
  void clear(unit_flag flag) { flags.fetch_and(static_cast<std::uint16_t>(~flag), base::relaxed); }

  bool has_parked() const { return context.is_saved(); }
  const void* maker() const { return has_parked() ? made_at : context.maker(); }
  // By its owner.
  void set_parent(unit* scheduler) {
    parent = scheduler;
    if (!has(may_be_dispatched)) set(may_be_dispatched);
  }
  bool is_dispatched() const { return has(may_be_dispatched) && parent != nullptr; }
  bool may_be_stolen() const { return !has(stays_put); }
};

inline details* details_if_any(const unit* one) {
  // [A37] acquire: sees them laid out; pairs with [A38]
  return one->extra.load(base::acquire);
}

// Whether weft_pinned_begin keeps it where it is.
inline bool is_in_pinned_scope(const unit* one) {
  const details* const known = details_if_any(one);
  return known != nullptr && known->pinned_scopes.load(base::relaxed) != 0;
}

inline bool stays_where_it_starts(const unit* one) {
  const details* const known = details_if_any(one);
  return known != nullptr && known->function != nullptr;
}

// What it was made to run. One that stays where it starts begins with a function of the library's.
inline unit::function_type function_of(const unit* one) {
  return stays_where_it_starts(one) ? details_if_any(one)->function : one->function;
}

// Ends the program, with the name of the call that wants it, if the unit was given back to its
// slab.
inline void refuse_freed(const unit* one, const char* call) {
  if (one->state.load(base::relaxed) != unit_state::free) [[likely]]
    return;
  base::panic("%s of thread %p, which was joined or detached before", call, static_cast<const void*>(one));
}

inline constexpr std::size_t unit_bytes = 128;
static_assert(sizeof(unit) == unit_bytes);

// ---- the join word (protocol T) ----
//
//      open ----> waiter ----> noticed      a joiner came first and is woken by the end
//      open ----> ended | noticed           joiners find it ended
//      open ----> detached --> (freed)      none will join; on the way `detaching`, which the end
//                                           leaves to the detacher
//      open ----> lent ------> (freed)      it runs on its joiner's stack: for others that come
//                                           to join it
//
// A unit that has parked, or is marked so (ends_noticed), ends with an exchange. Another that ran
// in one go on one worker ends inside that worker's lock, with a load and a store: a joiner that
// comes in between is overwritten. It finds out by itself: after announcing itself it has a heavy
// fence run and waits until no worker is inside its lock; `ended` in the word then means that no
// joiner saw it, `noticed` that it will be woken.

namespace join_word {
inline constexpr std::uintptr_t open = 0;
inline constexpr std::uintptr_t ended = 1;
inline constexpr std::uintptr_t detached = 2;
inline constexpr std::uintptr_t noticed = 3;
inline constexpr std::uintptr_t lent = 4;
inline constexpr std::uintptr_t detaching = 6;

constexpr bool means_ended(std::uintptr_t word) { return (word & 1) != 0; }

inline bool has_ended(const unit* one) {
  // [T1] acquire: the joiner sees all that the unit did; pairs with [T2] [T9]
  return means_ended(one->join.load(base::acquire));
}

// As end, in a process with one OS thread: no other comes in between, and one that is started later
// sees all that came before.
inline std::uintptr_t end_alone(unit* one) {
  const std::uintptr_t found = one->join.load(base::relaxed);
  one->join.store(noticed, base::relaxed);
  return found;
}

// The unit's last act. Returns what was there: open, detached, or a waiter to wake.
inline std::uintptr_t end(unit* one) {
  if (os::is_alone()) return end_alone(one);
  // [T2] acq_rel: publishes what the unit did, and sees the waiter's fields; pairs with [T1] [T3]
  // [T5] [T10] [T11]
  return one->join.exchange(noticed, base::acq_rel);
}

// As end, inside the lock of the only worker that ever ran it.
inline std::uintptr_t end_inside(unit* one) {
  const std::uintptr_t word = one->join.load(base::relaxed);
  if (word == detached) return detached;  // no other thread looks at the word any more
  if (word != open) [[unlikely]]
    return end(one);
  // [T9] release: publishes what the unit did; pairs with [T1] [T3] [T5] [T10] [T11]
  one->join.store(ended, base::release);
  return open;
}

// False: it has ended, or another one waits (*found tells).
inline bool wait_for(unit* one, waiter* joiner, std::uintptr_t* found) {
  *found = open;
  // [T3] acq_rel: publishes the waiter's fields, or sees what the unit did; pairs with [T2] [T9] [T12]
  return one->join.compare_exchange_strong(*found, reinterpret_cast<std::uintptr_t>(joiner), base::acq_rel, base::acquire);
}

// A joiner whose deadline passed. False: it has ended meanwhile, and noticed the joiner, which
// waits for [T6]: that orders.
inline bool give_up(unit* one, waiter* joiner) {
  auto found = reinterpret_cast<std::uintptr_t>(joiner);
  return one->join.compare_exchange_strong(found, open, base::relaxed, base::relaxed);
}

// In a word as it was found. Null: there is none.
inline waiter* joiner_in(std::uintptr_t word) {
  const bool is_state = word == open || word == detached || word == detaching || word == lent || means_ended(word);
  return is_state ? nullptr : reinterpret_cast<waiter*>(word);
}

// Takes the joiner out, and leaves the word open. Null: there is none.
inline waiter* take_joiner(unit* one) {
  std::uintptr_t found = one->join.load(base::relaxed);
  if (joiner_in(found) == nullptr) return nullptr;
  // [T12] acquire: sees the waiter's fields; pairs with [T3]
  const bool is_taken = one->join.compare_exchange_strong(found, open, base::acquire, base::relaxed);
  return is_taken ? reinterpret_cast<waiter*>(found) : nullptr;
}

// False: it has ended (or is being joined): *found tells.
inline bool begin_detach(unit* one, std::uintptr_t* found) {
  *found = open;
  // [T5] acquire: sees what the unit did; pairs with [T2] [T9]
  return one->join.compare_exchange_strong(*found, detaching, base::acquire, base::acquire);
}

// False: it has ended, and is the caller's to free.
inline bool complete_detach(unit* one) {
  std::uintptr_t expected = detaching;
  // [T10] acq_rel: is done with the unit, or sees what it did; pairs with [T2] [T9]
  return one->join.compare_exchange_strong(expected, detached, base::acq_rel, base::acquire);
}
}  // namespace join_word

// It was made, and has not ended; of a unit that no worker runs now.
inline bool lives(const unit* one) {
  return one->state.load(base::relaxed) != unit_state::free && !join_word::means_ended(one->join.load(base::relaxed));
}

}  // namespace weft::sched
