// How a call waits at channels, and at a condition_variable_any: its record, its place in the queue of each channel, and the one
// choice between those that may end the wait.
//
//      undecided ----> branch n     by the caller on the other side, inside the lock of a channel
//      undecided ----> given up     by the call itself, after its deadline
//      undecided ----> branch n     by a stop callback
//
// The side that moves the record out of `undecided` owns the wake-up, exactly once. A place whose
// record was decided elsewhere stays in its queue until the call, or a caller on the other side,
// takes it off; both do so inside the lock of the channel. After the wake-up the waker touches
// neither the record nor the channel, so the woken call may free both.
//
// Dropped: weft_mutex as the lock of a channel. A tasklet may use a channel as long as it need not
// wait, and it can sleep for no mutex. It could spin, but under WEFT_SCHEDULE each call on a mutex
// may switch, and the tasklet would spin for a holder that cannot run.
#pragma once

#include <atomic>
#include <cstdint>

#include <weft/ext.h>
#include <weft/detail/concurrent.hpp>
#include <weft/error.hpp>

namespace weft {

// What a call at a channel came to. `empty` and `full` are of calls that do not wait, `timeout` of
// those with a deadline.
enum class channel_op_status { success, empty, full, closed, timeout };

namespace detail {

// Held for a few instructions and one move of a value, during which the holder never switches.
class channel_lock {
 public:
  void lock() noexcept {
    // acquire: the queues as the last holder left them; pairs with unlock
    if (is_alone() && !is_held_.load(std::memory_order_acquire)) return is_held_.store(true, std::memory_order_relaxed);
    // acquire: as above
    if (is_held_.exchange(true, std::memory_order_acquire)) [[unlikely]]
      lock_slowly();
  }
  void unlock() noexcept { is_held_.store(false, std::memory_order_release); }

 private:
  [[gnu::noinline]] void lock_slowly() noexcept {
    constexpr int patience = 100;
    int round = 0;
    do {
      while (is_held_.load(std::memory_order_relaxed)) {
        if (++round > patience) give_cpu();  // the system may have preempted the holder
      }
      // acquire: as in lock
    } while (is_held_.exchange(true, std::memory_order_acquire));
  }

  atomic<bool> is_held_ = false;
};

// One blocked call.
class channel_waiter {
 public:
  static constexpr std::uint32_t undecided = 0;
  static constexpr std::uint32_t given_up = UINT32_MAX;

  // What the other side did about the branch that it chose.
  enum class outcome : std::uint8_t { done, closed, again };

  // is_single: the call waits at one channel alone, and for no stop.
  channel_waiter(std::uint64_t deadline_ns, bool is_single) noexcept
      : deadline_ns_(deadline_ns), parks_(deadline_ns == WEFT_FOREVER && is_in_ult()), is_contested_(!is_single || !parks_) {}
  // Waits without a thread: woken is called instead, once, by the caller that decided the wait.
  explicit channel_waiter(void (*woken)(channel_waiter* self) noexcept) noexcept
      : deadline_ns_(WEFT_FOREVER), parks_(false), is_contested_(true), woken_(woken) {}
  channel_waiter(const channel_waiter&) = delete;
  channel_waiter& operator=(const channel_waiter&) = delete;

  // True: the caller decided the wait, and wakes the waiter by finish.
  bool decide(std::uint32_t branch) noexcept {
    if (!is_contested_) {
      decision_.store(branch, std::memory_order_relaxed);  // inside the lock of the one channel
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
    if (woken_ != nullptr) return woken_(this);
    if (!parks_) return static_cast<void>(weft_event_set(&event_));
    if (weft_thread* const parked = mark_woken(); parked != nullptr) weft_ext_unpark(parked);
  }

  // Waits until another side decides. On WEFT_TIMEOUT and errors the wait was given up: the caller
  // takes its places off their queues. what: for reports.
  weft_status wait(const char* what) noexcept {
    if (parks_) return wait_parked(what);
    const weft_status status = weft_event_wait_until(&event_, deadline_ns_);
    if (status == WEFT_OK || decide(given_up)) return status;
    // The other side is about to set the event.
    while (weft_event_wait(&event_) != WEFT_OK) weft_yield();
    return WEFT_OK;
  }

 private:
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

  atomic<std::uint32_t> decision_ = undecided;
  outcome result_ = outcome::done;  // written before the wake-up
  const std::uint64_t deadline_ns_;
  const bool parks_;         // otherwise the record's owner waits at event_
  const bool is_contested_;  // more than one side may decide
  void (*const woken_)(channel_waiter*) noexcept = nullptr;
  atomic<weft_thread*> parked_ = nullptr;
  weft_event event_ = WEFT_EVENT_INIT;
};

// A stop callback: it decides a wait.
struct channel_decision {
  channel_waiter* waiter;
  std::uint32_t branch;
  void operator()() const noexcept {
    if (waiter->decide(branch)) waiter->finish(channel_waiter::outcome::done);
  }
};

// The place of a call in the queue of one channel.
struct channel_place {
  channel_waiter* waiter = nullptr;
  std::uint32_t branch = 1;  // what the other side decides
  void* value = nullptr;     // where the value is, or goes
  channel_place* next = nullptr;
  channel_place* previous = nullptr;
  bool is_linked = false;  // guarded by the lock of the channel
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
  // Takes off the first call that this caller may decide. Calls that were decided elsewhere are
  // taken off on the way.
  channel_place* claim_first() noexcept {
    while (channel_place* const place = first_) {
      remove(place);
      if (place->waiter->decide(place->branch)) return place;
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
    channel_waiter* const waiter = claimed->waiter;
    claimed = claimed->next;  // the place may go with its owner
    waiter->finish(result);
  }
}

}  // namespace detail
}  // namespace weft
