// boost::fibers::waker and wait_queue, of which programs make synchronisation of their own: a waker
// wakes one wait of one fiber, from any OS thread, and only the first call for that wait does.
//
// A context counts its waits in its epoch. A waker knows the number of its wait, and succeeds if it
// moves the epoch on; a wait whose time has come moves it on itself. A wake-up that comes before
// the wait is kept in the context's event.
#pragma once  // SPDX-License-Identifier: BSD-3-Clause

#include <weft/detail/cxx20.hpp>

#include <sched.h>

#include <chrono>
#include <cstddef>

#include <weft/boost/detail/context.hpp>
#include <weft/boost/detail/inside.hpp>

namespace boost {
namespace fibers {

// Wakes one wait of a fiber.
class waker {
 public:
  // Wakes nothing: it may only be assigned to.
  waker() = default;
  // context::create_waker calls this.
  waker(context* of, const std::size_t epoch) noexcept : ctx_(of), epoch_(epoch) {}

  // Makes the fiber ready, or lets its next wait return at once if it does not wait yet. Returns
  // false, and does nothing, if the wait is over: another call was first, the time has come, or the
  // fiber has made a newer waker. Never switches; callable from any.
  // Undefined: a default-constructed waker, a fiber that has ended.
  bool wake() const noexcept { return ctx_->wake(epoch_); }

 private:
  friend class context;
  // Whether it was not called yet; then its calls do nothing any more.
  bool end() const noexcept { return ctx_->end_epoch(epoch_); }

  context* ctx_ = nullptr;
  std::size_t epoch_ = 0;
};

namespace detail {

using waker_queue_hook = weft::detail::ready_hook;

}  // namespace detail

// A waker that can stand in a list.
class waker_with_hook : public waker {
 public:
  // In no list.
  explicit waker_with_hook(waker&& one) noexcept : waker(one) {}

  // Whether it is in a list.
  bool is_linked() const noexcept { return waker_queue_hook_.is_linked(); }
  // The same object.
  friend bool operator==(const waker_with_hook& left, const waker_with_hook& right) noexcept { return &left == &right; }

  // Its place there.
  detail::waker_queue_hook waker_queue_hook_;
};

// Fibers that wait, in the order in which they came. The program's spinlock, which it gives to the
// waits, protects it: the caller of every member holds it.
class wait_queue {
 public:
  wait_queue() noexcept { end_.previous = end_.next = &end_; }
  wait_queue(const wait_queue&) = delete;
  wait_queue& operator=(const wait_queue&) = delete;
  // Undefined: fibers wait.
  ~wait_queue() { end_.previous = end_.next = nullptr; }

  // Puts the caller, whose context is active, behind the others, gives the lock back and waits for
  // a notification. Returns without the lock. May switch. Throws weft::error: cannot_block.
  void suspend_and_wait(detail::spinlock_lock& lock, context* active) {
    entry mine(active);
    mine.link(&end_);
    try {
      active->suspend(lock);
    } catch (...) {
      leave(mine, lock);
      throw;
    }
  }
  // Waits as suspend_and_wait does, but no longer than until the time. Returns false if the time
  // came first. Returns without the lock. May switch. Throws weft::error: cannot_block.
  bool suspend_and_wait_until(detail::spinlock_lock& lock, context* active, const std::chrono::steady_clock::time_point& time) {
    entry mine(active);
    mine.link(&end_);
    if (active->wait_until(time, lock, waker(mine.one))) return true;
    leave(mine, lock);
    return false;
  }
  // Wakes the fiber that has waited longest, if there is one. Never switches.
  void notify_one() noexcept {
    while (!empty()) {
      if (take_first().wake()) return;
    }
  }
  // Wakes all. Never switches.
  void notify_all() noexcept {
    while (!empty()) static_cast<void>(take_first().wake());
  }
  // Whether no fiber waits.
  bool empty() const noexcept { return end_.next == &end_; }

 private:
  // A fiber that waits, in its frame.
  struct entry : detail::waker_queue_hook {
    explicit entry(context* waiting) noexcept : one(waiting->create_waker()) {}
    waker one;
  };

  static void leave(entry& mine, detail::spinlock_lock& lock) {
    lock.lock();
    mine.unlink();
    lock.unlock();
  }

  // Its frame may be gone once its waker was called: so the waker is copied.
  waker take_first() noexcept {
    auto* const first = static_cast<entry*>(end_.next);
    first->unlink();
    return first->one;
  }

  detail::waker_queue_hook end_;
};

inline waker context::create_waker() noexcept {
  const std::size_t epoch = waker_epoch_.fetch_add(1, std::memory_order_acq_rel) + 1;
  const bool was_newest_called = epoch != newest_ + 1;
  if (was_newest_called && !is_taken_) {  // its caller sets the event at once, which must not wake the next wait
    while (!weft_event_is_set(&woken_)) sched_yield();
  }
  newest_ = epoch;
  is_taken_ = false;
  if (weft_event_is_set(&woken_)) static_cast<void>(weft_event_reset(&woken_));  // by a waker of a wait that did not come
  return {this, epoch};
}

inline bool context::wait_until(const std::chrono::steady_clock::time_point& time, detail::spinlock_lock& lock, waker&& one) {
  lock.unlock();
  if (wait_until(time)) return true;
  const bool is_in_time = !one.end();
  if (is_in_time) {
    suspend();  // a waker was first, and is about to set the event
  } else {
    is_taken_ = true;
  }
  return is_in_time;
}

}  // namespace fibers
}  // namespace boost
