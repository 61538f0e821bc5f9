// How a call waits at channels, and at a condition_variable_any: its record, its place in the queue
// of each channel, and the one choice between those that may end the wait.
//
//      undecided ----> branch n     by the caller on the other side, inside the lock of a channel
//      undecided ----> given up     by the call itself, after its deadline
//      undecided ----> branch n     by a stop callback, or a worker that polls
//
// A ULT that waits at one channel, without a deadline and for no stop, leaves nothing to be chosen:
// the caller that takes its place off the queue owns the wake-up. The ULT keeps the lock of the
// channel until it is off its stack, so no waker finds its place before it can be woken.
//
// Otherwise there is a record, and the side that moves the record out of `undecided` owns the
// wake-up, exactly once. A place whose record was decided elsewhere stays in its queue until the
// call, or a caller on the other side, takes it off; both do so inside the lock of the channel.
// After the wake-up the waker touches neither the record nor the channel, so the woken call may
// free both.
//
// Dropped: weft_mutex as the lock of a channel. A tasklet may use a channel as long as it need not
// wait, and it can sleep for no mutex. It could spin, but under WEFT_SCHEDULE each call on a mutex
// may switch, and the tasklet would spin for a holder that cannot run.
#pragma once  // SPDX-License-Identifier: BSD-3-Clause

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include <weft/detail/park_in_place.h>
#include <weft/ext.h>
#include <weft/detail/concurrent.hpp>
#include <weft/error.hpp>

namespace weft {

// What a call at a channel came to. `empty` and `full` are of calls that do not wait, `timeout` of
// those with a deadline.
enum class channel_op_status { success, empty, full, closed, timeout };

namespace detail {

[[noreturn, gnu::cold, gnu::noinline]] inline void moved_across_a_switch() noexcept {
  std::fputs(
      "weft: channel: moving a value into or out of its buffer, or a condition of select, waited, yielded or used the channel: "
      "its lock is held meanwhile, as that of each channel of a select, and would never be free again. Let the move only move, "
      "or push a std::unique_ptr to the value; let the condition only look\n",
      stderr);
  std::abort();
}

// Held for a few instructions and one move of a value, during which the holder never switches; and
// by a ULT that parks, until it is off its stack. A word as weft_ext_park_unlocking wants it.
class channel_lock {
 public:
  // Inside the lock, around a move of a value by code of the program's. If the move switches, the
  // next caller of this OS thread finds the lock held by its own OS thread, and would spin for ever.
  class moving {
   public:
    explicit moving(channel_lock& held) noexcept : held_(held) { held.note_mover(this_os_thread()); }
    moving(const moving&) = delete;
    moving& operator=(const moving&) = delete;
    ~moving() { held_.note_mover(0); }

   private:
    channel_lock& held_;
  };

  void lock() noexcept {
    // acquire: the queues as the last holder left them; pairs with unlock
    if (is_alone() && word_.load(std::memory_order_acquire) == 0) return word_.store(1, std::memory_order_relaxed);
    // acquire: as above
    if (word_.exchange(1, std::memory_order_acquire) != 0) [[unlikely]]
      lock_slowly();
  }
  // Inside the lock: the OS thread that runs code of the program's inside it; 0: none does.
  void note_mover(std::uint32_t os_thread) noexcept { mover_.store(os_thread, std::memory_order_relaxed); }
  void unlock() noexcept { word_.store(0, std::memory_order_release); }

  // Parks the calling ULT, which holds the lock. *self is its handle before the lock is free again.
  // Errors, with the lock still held: WEFT_CANNOT_BLOCK, WEFT_UNSUPPORTED.
  weft_status park_unlocking(weft_thread** self, const char* what) noexcept {
    return weft_ext_park_unlocking(reinterpret_cast<std::uint32_t*>(&word_), self, what);
  }

 private:
  [[gnu::noinline]] void lock_slowly() noexcept {
    constexpr int patience = 100;
    int round = 0;
    do {
      while (word_.load(std::memory_order_relaxed) != 0) {
        if (++round <= patience) continue;
        if (mover_.load(std::memory_order_relaxed) == this_os_thread()) moved_across_a_switch();
        give_cpu();  // the system may have preempted the holder
      }
      // acquire: as in lock
    } while (word_.exchange(1, std::memory_order_acquire) != 0);
  }

  atomic<std::uint32_t> word_ = 0;
  atomic<std::uint32_t> mover_ = 0;  // the OS thread that moves a value inside the lock
};

// One blocked call.
class channel_waiter {
 public:
  static constexpr std::uint32_t undecided = 0;
  static constexpr std::uint32_t given_up = UINT32_MAX;

  // What the other side did about the branch that it chose.
  enum class outcome : std::uint8_t { done, closed, again };

  // is_single: the call waits in one queue alone, and for no stop.
  channel_waiter(std::uint64_t deadline_ns, bool is_single) noexcept
      : how_(deadline_ns == WEFT_FOREVER && is_in_ult() ? wakes::by_mark : wakes::by_event),
        is_contested_(!is_single || how_ != wakes::by_mark),
        decision_(undecided),
        deadline_ns_(deadline_ns),
        parked_(nullptr),
        event_ WEFT_EVENT_INIT {}
  // Waits without a thread: woken is called instead, once, by the caller that decided the wait.
  explicit channel_waiter(void (*woken)(channel_waiter* self) noexcept) noexcept
      : how_(wakes::by_call), is_contested_(true), decision_(undecided), woken_(woken) {}
  channel_waiter(const channel_waiter&) = delete;
  channel_waiter& operator=(const channel_waiter&) = delete;

  // True: the caller decided the wait, and wakes the waiter by finish.
  bool decide(std::uint32_t branch) noexcept {
    if (!is_contested_) {
      decision_.store(branch, std::memory_order_relaxed);  // inside the lock of the one queue
      return true;
    }
    std::uint32_t expected = undecided;
    // acquire: what the waiter wrote into its places; release: for the waiter that loses
    return decision_.compare_exchange_strong(expected, branch, std::memory_order_acq_rel, std::memory_order_relaxed);
  }
  std::uint32_t decision() const noexcept { return decision_.load(std::memory_order_acquire); }
  outcome result() const noexcept { return result_; }

  // Wakes the waiter. The caller has decided the wait. The record may be gone afterwards.
  void finish(outcome result) noexcept {
    result_ = result;
    if (how_ == wakes::by_call) return woken_(this);
    if (how_ == wakes::by_event) return static_cast<void>(weft_event_set(&event_));
    if (weft_thread* const parked = mark_woken(); parked != nullptr) weft_ext_unpark(parked);
  }

  // Waits until another side decides. On WEFT_TIMEOUT and errors the wait was given up: the caller
  // takes its places off their queues. what: for reports.
  weft_status wait(const char* what) noexcept {
    if (how_ == wakes::by_mark) return wait_parked(what);
    const weft_status status = weft_event_wait_until(&event_, deadline_ns_);
    if (status == WEFT_OK || decide(given_up)) return status;
    // The other side is about to set the event.
    while (weft_event_wait(&event_) != WEFT_OK) weft_yield();
    return WEFT_OK;
  }

 private:
  enum class wakes : std::uint8_t {
    by_mark,  // the ULT in parked_, if it has parked: the second of parker and waker finds the first one's word there
    by_event,
    by_call
  };

  static bool is_in_ult() noexcept {
    const weft_thread* const self = weft_self();
    return self != nullptr && !weft_thread_is_tasklet(self);
  }

  // Marks a record whose waiter need not park any more. No thread has this address.
  static weft_thread* woken_mark() noexcept { return reinterpret_cast<weft_thread*>(std::uintptr_t{1}); }

  // The thread that has parked, if it has.
  weft_thread* mark_woken() noexcept {
    if (is_alone()) {
      weft_thread* const parked = parked_.load(std::memory_order_acquire);
      parked_.store(woken_mark(), std::memory_order_release);
      return parked;
    }
    // acquire: the handle; release: the result and the value
    return parked_.exchange(woken_mark(), std::memory_order_acq_rel);
  }

  bool publish_alone(weft_thread* self) noexcept {
    if (parked_.load(std::memory_order_acquire) != nullptr) return false;
    parked_.store(self, std::memory_order_release);
    return true;
  }

  static bool publish(weft_thread* self, void* record) noexcept {
    if (is_alone()) return static_cast<channel_waiter*>(record)->publish_alone(self);
    weft_thread* expected = nullptr;
    // release: for the unparking side, that this thread has left its stack
    return static_cast<channel_waiter*>(record)->parked_.compare_exchange_strong(expected, self, std::memory_order_acq_rel);
  }

  weft_status wait_parked(const char* what) noexcept {
    // acquire: the result and the value; pairs with finish
    if (parked_.load(std::memory_order_acquire) == woken_mark()) return WEFT_OK;
    const weft_status status = weft_ext_park(publish, this, what);
    return status == WEFT_OK || decide(given_up) ? status : WEFT_OK;
  }

  const wakes how_;
  const bool is_contested_;  // more than one side may decide
  outcome result_;           // written before the wake-up
  atomic<std::uint32_t> decision_;
  std::uint64_t deadline_ns_;
  void (*woken_)(channel_waiter*) noexcept;
  atomic<weft_thread*> parked_;
  weft_event event_;
};

// Decides a wait from outside of its channels; as a stop callback, too.
struct channel_decision {
  channel_waiter* waiter;
  std::uint32_t branch;
  void operator()() const noexcept { decide(channel_waiter::outcome::done); }
  void decide(channel_waiter::outcome result) const noexcept {
    if (waiter->decide(branch)) waiter->finish(result);
  }
};

// The place of a call in the queue of one channel.
struct channel_place {
  using outcome = channel_waiter::outcome;

  channel_place() noexcept : channel_place(nullptr, nullptr) {}
  explicit channel_place(channel_waiter* one, void* at = nullptr) noexcept
      : waiter(one), value(at), branch(1), is_linked(false) {}
  // Of a ULT that parks, with the lock (park). What is not named is not looked at.
  explicit channel_place(void* at) noexcept : waiter(nullptr), value(at) {}

  // True: the caller owns the wake-up of the call. Inside the lock, when the place is off the
  // queue.
  bool claim() const noexcept { return waiter == nullptr || waiter->decide(branch); }
  // Wakes a call that was claimed. The place may be gone afterwards.
  void finish(outcome how) noexcept {
    if (waiter != nullptr) return waiter->finish(how);
    result = how;
    weft_ext_unpark(thread);
  }
  // Inside the lock, which is free afterwards: waits until another caller claims the place. Errors:
  // those of park_unlocking.
  weft_status park(channel_lock* lock) noexcept { return lock->park_unlocking(&thread, "channel"); }

  // As park, without the lock, in a process with one OS thread.
  [[gnu::always_inline]] weft_status park_alone() noexcept {
    weft_status status;
    WEFT_PARK_IN_PLACE(status, nullptr, &thread, "channel");
    return status;
  }

  channel_waiter* waiter;  // null: a ULT that has parked
  void* value;             // where the value is, or goes
  union {
    std::uint32_t branch;  // what the other side decides
    outcome result;        // without a waiter
  };
  bool is_linked;       // guarded by the lock of the channel, as the links are
  weft_thread* thread;  // without a waiter: written before the lock is free
  channel_place* next;
  channel_place* previous;
};

// First come, first served. Guarded by the lock of the channel.
class channel_queue {
 public:
  void push_back(channel_place* place) noexcept {
    place->next = nullptr;
    place->previous = last_;
    (last_ != nullptr ? last_->next : first_) = place;
    last_ = place;
    place->is_linked = true;
  }
  void remove(channel_place* place) noexcept {
    if (!place->is_linked) return;
    (place->previous != nullptr ? place->previous->next : first_) = place->next;
    (place->next != nullptr ? place->next->previous : last_) = place->previous;
    place->is_linked = false;
  }
  bool is_empty() const noexcept { return first_ == nullptr; }
  channel_place* first() const noexcept { return first_; }
  void remove_first() noexcept {
    first_->is_linked = false;
    first_ = first_->next;
    (first_ != nullptr ? first_->previous : last_) = nullptr;
  }
  // Takes off the first call that this caller may decide. Calls that were decided elsewhere are
  // taken off on the way.
  channel_place* claim_first() noexcept {
    while (channel_place* const place = first_) {
      remove_first();
      if (place->claim()) return place;
    }
    return nullptr;
  }
  // Puts all such calls before those of `claimed`, a list by `next`.
  void claim_all(channel_place** claimed) noexcept {
    while (channel_place* const one = claim_first()) {
      one->next = *claimed;
      *claimed = one;
    }
  }

 private:
  channel_place* first_ = nullptr;
  channel_place* last_ = nullptr;
};

// Outside the lock: wakes all calls of a list that claim_all made.
inline void finish_all(channel_place* claimed, channel_waiter::outcome result) noexcept {
  while (claimed != nullptr) {
    channel_place* const one = claimed;
    claimed = one->next;  // the place may go with its owner
    one->finish(result);
  }
}

}  // namespace detail
}  // namespace weft
